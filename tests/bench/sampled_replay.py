#!/usr/bin/env python3
"""Sampled replays beside whole ones, each pair one after the other on one thread.

    tests/bench/sampled_replay.py build/release/lockstep gtx580[,v100...] [WORKLOAD...]

Prints of each workload below: processor time of the whole replay over that of the sampled one, the share of warp instructions that
was replayed, and the error of the cycles with its estimate, in percent."""
import json
import resource
import subprocess
import sys
import tempfile

WORKLOADS = """
vector-add length=12000000 blocks=46875 threads=256
reduction length=25165824
back_propagation inputs=1048576
MRI-grid_1 length=12582912
FWT batch=12000
csr-spmv rows=300000
charge-deposit particles=8000000
srad size=3072
LUD_1 tiles=30000
convolution
texture-convolution
histogram blocks=4096 threads=256 replication=1
rgb-to-lab
dct8x8_1
burning-ship width=1024 height=768 most=100
volume-render width=1024 height=768 steps=40
bitonic-sort rows=2000 length=500
cross-entropy rows=50000 classes=129
transpose width=4096 height=2048
crc32 records=1000000 words=6
chacha20 blocks=500000
FFT_1 batch=3000
top-k rows=2500 length=1000
triangle-raster triangles=40000
ct-backprojection side=1024 angles=16
adaptive-simpson integrals=200000
smith-waterman pairs=8000 query=30 target=40
embedding-bag bags=40000
forest rows=1000000 trees=10 depth=6
breadth-first-search vertices=1048576
bellman-ford vertices=1500000 rounds=2
point-in-polygon quads=1500000
parse-integers numbers=3000000
posting-lists pairs=12000
rice-decode blocks=200000
golomb-encode blocks=150000
layer-norm rows=30000
goldilocks-ntt polynomials=6000
batched-cholesky matrices=8000
dct8x8_2 width=4096 height=2048
MRI-grid_2 length=6291456
matrix_scan rows=60000
hotspot size=2048
nearest-neighbours queries=200000 points=200
dormand-prince oscillators=200000
scalar_product vectors=20000 length=512 blocks=20000
"""


def processor_time():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def replay(words):
    before = processor_time()
    out = subprocess.run(words + ["--json", "--quiet", "-j", "1"], check=True, capture_output=True).stdout
    return json.loads(out), processor_time() - before


def main():
    program, gpus, names = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
    covered = rows = 0
    print(f"{'workload':22} {'GPU':8} {'speed-up':>8} {'replayed':>8} {'error':>7} {'estimate':>8}")
    for line in WORKLOADS.strip().splitlines():
        name, *arguments = line.split()
        if names and name not in names:
            continue
        with tempfile.NamedTemporaryFile(suffix=".trace") as trace:
            settings = [word for argument in arguments for word in ("-s", "args." + argument)]
            subprocess.run([program, "trace", name, *settings, "-o", trace.name, "--quiet"], check=True,
                           stdout=subprocess.DEVNULL)
            for gpu in gpus:
                words = [program, "replay", trace.name, "--gpu", gpu]
                whole, whole_s = replay(words)
                part, part_s = replay(words + ["--sample"])
                sampling = part["sampling"]
                error = 100 * (part["cycles"] / whole["cycles"] - 1)
                if sampling["sampled"]:
                    rows += 1
                    covered += abs(error) <= sampling["error_pct"]
                print(f"{name:22} {gpu:8} {whole_s / part_s:8.1f} {sampling['replayed_pct']:7.1f}% {error:6.2f}% "
                      f"{sampling['error_pct']:7.2f}%", flush=True)
    print(f"{covered} of {rows} errors are within their estimates")


main()
