"""Results of `lockstep run` in Python, with nothing but its standard library.

    import lockstep_results
    results = lockstep_results.Results("results/histogram-replication")
    for point in results.points(["args.layout", "args.replication", "cycles"]):
        print(point)

Every list is one of dicts, which pandas takes as it is: pandas.DataFrame(results.points()). The tables of results.db are
described in sim/experiment/results/README.md; a run may be writing to it while it is read.
"""

import fnmatch
import pathlib
import sqlite3
import urllib.parse

FORMAT = "lockstep.results/7"


class ResultsError(Exception):
    """What was given is not what can be read."""


class Results:
    """A results folder, or its results.db."""

    def __init__(self, path):
        given = pathlib.Path(path)
        self.path = given / "results.db" if given.is_dir() else given
        if not self.path.is_file():
            raise ResultsError(f"{self.path}: there is no such file; `lockstep run` makes one")
        self._database = _open(self.path)
        try:
            # Where an index does not fit its table, points would not be found.
            found, = self._database.execute("PRAGMA integrity_check(1)").fetchone()
            if found != "ok":
                raise ResultsError(f"{self.path}: is damaged: {found}; `lockstep run` writes it again with the points that "
                                   "are whole")
            about = dict(self._database.execute("SELECT name, value FROM about"))
        except sqlite3.DatabaseError as error:
            raise ResultsError(f"{self.path}: is not a results database of lockstep: {error}") from error
        if about.get("format") != FORMAT:
            raise ResultsError(f"{self.path}: holds {about.get('format')}, but {FORMAT} is needed")
        #: Name, title and text of the experiment.
        self.experiment, self.title, self.text = about["experiment"], about.get("title", ""), about.get("text", "")

    def close(self):
        self._database.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def axes(self):
        """Swept paths, in the order of the experiment."""
        return [axis for axis, in self._database.execute("SELECT axis FROM axes ORDER BY number")]

    def columns(self):
        """Name, kind, unit and text of everything that a point may have."""
        axes = self._rows("SELECT axis AS name, 'axis' AS kind, unit, text FROM axes ORDER BY number")
        swept = {axis["name"] for axis in axes}
        known = self._rows("SELECT name, kind, unit, text FROM columns ORDER BY kind, name")
        return axes + [column for column in known if column["name"] not in swept]

    def points(self, columns=None):
        """A dict for each point of the experiment, in its order: `point` (its number), and what it has of `columns`.

        `columns`: names and patterns such as "derived.*"; all without. A point that has not been run has the status
        "missing". With `columns`, every dict has the same keys; what a point does not have is None.
        """
        points = {}
        self._database.execute("BEGIN")  # One state of the database for both queries.
        for number, in self._database.execute("SELECT number FROM experiment_points ORDER BY number"):
            points[number] = {"point": number, "status": "missing"}
        for number, name, value in self._values():
            points[number][name] = value
        self._database.execute("COMMIT")
        if columns is None:
            return list(points.values())
        names = self._chosen(columns, points.values())
        return [{"point": number, **{name: point.get(name) for name in names}} for number, point in points.items()]

    def long(self, columns=None):
        """A dict for each value of a point: `point`, the values of the axes, `name`, `value`, `unit`."""
        points, axes = self.points(), self.axes()
        units = {column["name"]: column["unit"] for column in self.columns()}
        names = None if columns is None else self._chosen(columns, points)
        rows = []
        for point in points:
            place = {"point": point["point"], **{axis: point.get(axis) for axis in axes}}
            for name in point if names is None else names:
                if name not in place and point.get(name) is not None:
                    rows.append({**place, "name": name, "value": point[name], "unit": units.get(name, "")})
        return rows

    def launches(self):
        """The launches of each point."""
        return self._of_points("launch", "launches", "t.kernel, t.cycles, t.warp_instructions, t.blocks AS blocks_per_sm, "
                               "t.warps AS warps_per_sm, t.limited_by AS occupancy_limit")

    def references(self):
        """The runs that each point is compared with."""
        return self._of_points("number", "reference_runs", "t.name, t.gpu, t.cycles, t.time_ms, t.warp_instructions")

    def hashes(self):
        """What the named hashes of each point came to."""
        return self._of_points("number", "hashes", "t.path, t.spec, t.cost, t.without_conflicts, t.least, t.lower_bound, "
                               "t.optimal, t.xor_gates")

    def notes(self):
        """What the user should know of how kernels ran."""
        return self._of_points("number", "notes", "t.text")

    def checks(self):
        """What sources state about the points, each with its verdict and a list `values`; none before the run has ended."""
        checks = self._rows("SELECT number, says, source, verdict, holds, deviates, cases, at, message FROM checks "
                            "ORDER BY number")
        for check in checks:
            check["holds"] = None if check["holds"] is None else bool(check["holds"])
            check["values"] = self._rows("SELECT name, simulated, published FROM check_values WHERE check_number = ? "
                                         "ORDER BY number", check["number"])
        return checks

    def _values(self):
        truths = {(number, axis) for number, axis in self._database.execute(
            "SELECT e.number, v.axis FROM experiment_points e JOIN points p USING(label) "
            "JOIN axis_values v ON v.point = p.id WHERE v.text IN ('true', 'false') AND typeof(v.value) = 'integer'")}
        for number, name, value in self._database.execute("SELECT number, name, value FROM long"):
            yield number, name, bool(value) if (number, name) in truths else value

    def _chosen(self, columns, points):
        """Names that points may have; of a pattern those that a point has."""
        there = dict.fromkeys(name for point in points for name in point)
        known = {column["name"] for column in self.columns()}.union(there)
        names = {}
        for wanted in columns:
            fits = fnmatch.filter(there, wanted) or [name for name in known if name == wanted]
            if not fits:
                raise ResultsError(f"{self.path}: no column fits '{wanted}'")
            names.update(dict.fromkeys(fits))
        return list(names)

    def _of_points(self, number, table, columns):
        return self._rows(f"SELECT e.number AS point, t.number AS {number}, {columns} FROM experiment_points e "
                          f"JOIN points p USING(label) JOIN {table} t ON t.point = p.id ORDER BY e.number, t.number")

    def _rows(self, sql, *parameters):
        cursor = self._database.execute(sql, parameters)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row)) for row in cursor]


def _open(path):
    """Read only. Where SQLite may not make its files beside the database, nobody else may be writing either."""
    uri = "file:" + urllib.parse.quote(str(path.resolve()))
    database = sqlite3.connect(uri + "?mode=ro", uri=True, isolation_level=None)
    try:
        database.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        database.close()
        database = sqlite3.connect(uri + "?mode=ro&immutable=1", uri=True, isolation_level=None)
    except sqlite3.DatabaseError:
        pass  # The first query says it.
    return database
