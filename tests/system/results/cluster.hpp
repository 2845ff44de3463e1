#pragma once
// A cluster with Slurm of one node, on the loopback interface: munged, slurmctld and slurmd in a temporary folder.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "tests/system/program.hpp"

namespace lockstep::system_test {

/// Waits for what other processes bring about; false when it does not come in five minutes.
inline bool comes(const std::function<bool()>& condition) {
  for (int tries = 0; tries < 3000; ++tries) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

/// Standard output of a shell command; its errors are in the test's own.
inline std::string printed_by(const std::string& command) {
  const TemporaryFolder folder;
  [[maybe_unused]] const int status = std::system(("(" + command + ") >" + (folder / "out")).c_str());
  return contents(folder / "out");
}

class Cluster {
 public:
  /// Why there can be none on this machine; "" when there can.
  static std::string why_not() {
    if (geteuid() != 0) return "only root can start the daemons of Slurm";
    for (const char* program : {"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "unshare"})
      if (std::system(("PATH=$PATH:/usr/sbin command -v " + std::string(program) + " >/dev/null").c_str()) != 0)
        return std::string("there is no ") + program + " (Debian: slurm-wlm, munge)";
    if (std::system("unshare --pid --fork --mount-proc true 2>/dev/null") != 0)
      return "processes cannot be given a namespace of their own, by whose end a node fails";
    return "";
  }

  Cluster() {
    std::filesystem::permissions(folder_.path(), std::filesystem::perms::owner_all);
    folder_.write("munge.key", std::string(1024, 'k'));
    std::filesystem::permissions(folder_ / "munge.key", std::filesystem::perms::owner_read);
    for (const char* name : {"state", "spool"}) std::filesystem::create_directory(folder_ / name);
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    const std::string name = std::string(host).substr(0, std::string(host).find('.'));
    // A requeued job waits until its credentials have expired; a node is down when it is silent for SlurmdTimeout.
    folder_.write(
        "slurm.conf",
        "ClusterName=test\nSlurmctldHost=" + name + "(127.0.0.1)\nSlurmctldPort=" + free_port() +
            "\nSlurmdPort=" + free_port() + "\nSlurmUser=root\nSlurmdUser=root\nAuthType=auth/munge\n" +
            "AuthInfo=socket=" + (folder_ / "munge.socket") +
            ",cred_expire=5\nStateSaveLocation=" + (folder_ / "state") + "\nSlurmdSpoolDir=" + (folder_ / "spool") +
            "\nSlurmctldPidFile=" + (folder_ / "slurmctld.pid") + "\nSlurmdPidFile=" + (folder_ / "slurmd.pid") +
            "\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSwitchType=switch/none\n"
            "MpiDefault=none\nJobAcctGatherType=jobacct_gather/none\n"
            "AccountingStorageType=accounting_storage/none\nSelectType=select/cons_tres\n"
            "SelectTypeParameters=CR_Core\nReturnToService=2\nSlurmdTimeout=5\nMinJobAge=300\nNodeName=" +
            name + " NodeAddr=127.0.0.1 CPUs=2 RealMemory=2000 State=UNKNOWN\nPartitionName=short Nodes=" + name +
            " Default=YES State=UP\n");
    setenv("SLURM_CONF", (folder_ / "slurm.conf").c_str(), 1);
    munged_ = started({"munged", "--foreground", "--force", "--key-file=" + (folder_ / "munge.key"),
                       "--socket=" + (folder_ / "munge.socket"), "--pid-file=" + (folder_ / "munged.pid"),
                       "--seed-file=" + (folder_ / "munge.seed"), "--log-file=" + (folder_ / "munged.log")});
    REQUIRE(comes([&] { return std::filesystem::exists(folder_ / "munge.socket"); }));
    controller_ = started({"slurmctld", "-D", "-i", "-f", folder_ / "slurm.conf"});
    start_node();
  }
  ~Cluster() {
    end(node_, SIGKILL);
    end(controller_, SIGKILL);
    end(munged_, SIGTERM);
    unsetenv("SLURM_CONF");
  }
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// The node's processes are in a namespace of their own, all of which end with the first one.
  void start_node() {
    node_ = started(
        {"unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "slurmd", "-D", "-f", folder_ / "slurm.conf"});
    INFO(contents(folder_ / "daemons.log"));
    REQUIRE(comes([] {
      return printed_by("sinfo --noheader --format=%t 2>/dev/null").find("idle") == 0 ||
             printed_by("sinfo --noheader --format=%t 2>/dev/null").find("mix") == 0;
    }));
  }
  /// As if its power failed.
  void fail_node() { end(node_, SIGKILL); }

  /// Whether no job waits or runs.
  static bool is_empty() { return printed_by("squeue --noheader 2>/dev/null || echo none").empty(); }
  std::string log() const { return contents(folder_ / "daemons.log"); }

 private:
  static std::string free_port() {
    const int listening = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    REQUIRE(bind(listening, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    close(listening);
    return std::to_string(ntohs(address.sin_port));
  }

  pid_t started(std::vector<std::string> words) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child > 0) return child;
    setenv("PATH", (std::string(getenv("PATH")) + ":/usr/sbin").c_str(), 1);
    const int log = open((folder_ / "daemons.log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }

  static void end(pid_t& child, int signal) {
    if (child <= 0) return;
    kill(child, signal);
    waitpid(child, nullptr, 0);
    child = 0;
  }

  TemporaryFolder folder_;
  pid_t munged_ = 0, controller_ = 0, node_ = 0;
};

}  // namespace lockstep::system_test
