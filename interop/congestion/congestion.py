"""Measures the points, judges them, and writes what it saw: a page, CSV, time-lines. See README.md."""
import argparse
import csv
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time

import points as matrix
from lab import CORES, HERE, KERNEL, Broken, Child, Lab, NoPath, Path, make_spaces

# Without a limit of the path's own, the ends must make so much more than a point asks for.
CAPABLE = 1.1
OPEN = Path(10000, 0.2, 16)
LINE_POINTS = 200
# With --quick: runs of a point until its bars hold.
QUICK_MOST = 3


class Report:
    """Prints, and keeps of each point what was measured, so that a matrix can be measured in parts."""

    BARS = ['point', 'bar', 'verdict', 'figures']
    # Of a run, and of each flow in it: the names they have here, and their form.
    RUN = {'load': '.2f', 'foreign': '.2f', 'late_ms': '.3f', 'late_max_ms': '.3f', 'box_cpu': '.2f', 'queue': '.0f', 'disturbed': 'd'}
    FLOW = {'kind': '', 'goodput': '.3f', 'wire': '.3f', 'dropped': '.6f', 'packets': '.0f', 'why': ''}
    RUNS = ['point', 'contender', 'repetition', 'flow', 'kind', 'goodput_mbit', 'wire_mbit', 'dropped_share', 'packets', 'failed', 'load', 'foreign_cores', 'late_p99_ms',
            'late_max_ms', 'box_cores', 'queue_mean_bytes', 'disturbed']

    def __init__(self, folder, jar, jwarp, mixed):
        self.folder, self.jar, self.jwarp, self.mixed = folder, jar, jwarp, mixed
        for part in ('lines', 'points'):
            os.makedirs(os.path.join(folder, part), exist_ok=True)

    def begin(self, runs):
        """What is told from now on is of the next point, of which these runs are known."""
        self.now = {'jar': self.jar, 'jwarp': self.jwarp, 'bars': [], 'runs': runs}

    def file_of(self, point):
        return os.path.join(self.folder, 'points', re.sub(r'[^a-zA-Z0-9.-]+', '-', point.name) + '.json')

    def done(self, point):
        with open(self.file_of(point), 'w') as file:
            json.dump(self.now, file, indent=1)

    def kept(self, point):
        """What is known of a point; None if nothing is, or only of another jwarp."""
        try:
            with open(self.file_of(point)) as file:
                known = json.load(file)
        except (OSError, ValueError):
            return None
        return known if self.mixed or known['jar'] == self.jar else None

    def say(self, text):
        print(text, flush=True)

    def bar(self, point, what, held, figures):
        verdict = {True: 'PASS', False: 'FAIL', None: 'told'}[held]
        self.tell([point, what, verdict, figures])

    def not_run(self, point, reason):
        self.tell([point, '', 'NOT RUN', reason])

    def tell(self, bar):
        self.now['bars'].append(bar)
        self.say(self.bar_line(*bar))

    def page(self, points, remarks):
        """Writes the page and the tables of all points that are known. Returns how many bars were held, missed and not run."""
        known = {point.name: found for point in points if (found := self.kept(point))}
        count = {verdict: sum(row[2] == verdict for found in known.values() for row in found['bars']) for verdict in ('PASS', 'FAIL', 'NOT RUN')}
        runs = [run for found in known.values() for run in found['runs']]
        summary = (f'{len(known)} of {len(points)} points: {count["PASS"]} bars held, {count["FAIL"]} not, {count["NOT RUN"]} not run; '
                   f'{sum(run["disturbed"] for run in runs)} of {len(runs)} runs disturbed')
        builds = {}
        for name, found in known.items():
            builds.setdefault(found['jwarp'], []).append(name)
        if len(builds) > 1:
            remarks = remarks + [f'jwarp {jwarp}: {", ".join(names)}' for jwarp, names in builds.items()]
        with open(os.path.join(self.folder, 'bars.txt'), 'w') as page:
            for line in remarks + [line for name, found in known.items() for line in self.said(name, found)] + [summary]:
                page.write(line + '\n')
        self.table('bars.csv', self.BARS, [row for found in known.values() for row in found['bars']])
        self.table('runs.csv', self.RUNS, [[name, run['label'], run['repetition'], number] + self.cells(self.FLOW, flow) + self.cells(self.RUN, run)
                                           for name, found in known.items() for run in found['runs'] for number, flow in enumerate(run['figures'])])
        return count, summary

    def table(self, name, head, rows):
        with open(os.path.join(self.folder, name), 'w', newline='') as file:
            csv.writer(file).writerows([head] + rows)

    @staticmethod
    def cells(forms, values):
        return [format(values[name] or 0 if form else values[name] or '', form) for name, form in forms.items()]

    @classmethod
    def said(cls, name, found):
        return [cls.run_line(name, run) for run in found['runs']] + [cls.bar_line(*bar) for bar in found['bars']]

    @staticmethod
    def bar_line(point, what, verdict, figures):
        return f'{verdict:7} {point:28} {what + ": " if what else ""}{figures}'

    @staticmethod
    def run_line(point, run):
        flows = ', '.join(f'{flow["kind"]} {flow["goodput"]:.2f} Mbit/s {flow["dropped"]:.2%}' for flow in run['figures'])
        return (f'        {point:28} {run["label"]} {run["repetition"]}: {flows}; load {run["load"]:.1f}, others {run["foreign"]:.1f} cores, box p99 {run["late_ms"]:.2f} ms late'
                + (' DISTURBED' if run['disturbed'] else ''))

    def run(self, point, label, repetition, run):
        """Keeps a run: all of it that a judge looks at. Returns what is kept."""
        kept = {'label': label, 'repetition': repetition, 'figures': run['figures'], **{name: run[name] for name in self.RUN}}
        self.now['runs'].append(kept)
        self.say(self.run_line(point.name, kept))
        return kept

    def lines(self, point, label, run):
        """The time-line of a run, for the plot: panel, series, seconds, value."""
        name = re.sub(r'[^a-zA-Z0-9.-]+', '-', f'{point.name} {label}')
        end = run['warm'] + run['seconds']
        step = max(0.05, end / LINE_POINTS)
        moments = [step * number for number in range(1, int(end / step) + 1)]
        with open(os.path.join(self.folder, 'lines', name + '.csv'), 'w', newline='') as file:
            rows = csv.writer(file)
            rows.writerow([f'{point.name}: {label}', '', '', ''])
            for number, flow in enumerate(run['flows']):
                series = f'{flow.kind} {number + 1}' if len(run['flows']) > 1 else flow.kind
                line = flow.data['arrived_bytes_line']
                for moment in moments:
                    rows.writerow(['sent, Mbit/s', series, f'{moment:.2f}', f'{line.between(moment - step, moment) * 8e-6 / step:.3f}'])
                for key, panel, scale in (('rate', 'pace, Mbit/s', 8e-6), ('cwnd', 'window, kB', 1e-3), ('srtt', 'smoothed round trip, ms', 1e-6)):
                    every = max(1, len(flow.told) // LINE_POINTS)
                    for seconds, values in flow.told[::every]:
                        if 0 <= seconds <= end and key in values:
                            rows.writerow([panel, series, f'{seconds:.2f}', f'{values[key] * scale:.3f}'])
            queue = run['log'].queue
            for moment in moments:
                rows.writerow(['queue, kB', 'all', f'{moment:.2f}', f'{queue.at(moment) / 1e3:.2f}'])


class Bench:
    def __init__(self, lab, report, options):
        self.lab, self.report, self.options = lab, report, options
        self.capability = None

    def capable(self, point):
        """Why this machine cannot do the point's rate at all; null if it can. Measured once, on a path without limits."""
        if self.options.quick or point.rate < 100:
            return None
        if self.capability is None:
            self.capability = {}
            for kind in ('cubic', 'rd-write', 'ud-write'):
                try:
                    run = self.lab.run(OPEN, [(kind, matrix.DEFAULT)], 2, 3)
                except (NoPath, Broken) as e:
                    self.capability = None
                    return f'{kind} could not run without limits of the path: {e}'
                self.capability[kind] = run['figures'][0]['goodput']
            print('        without limits of the path: ' + ', '.join(f'{kind} {most:.0f} Mbit/s' for kind, most in self.capability.items()), flush=True)
        ends = max(self.capability['rd-write'], self.capability['ud-write'])
        if self.capability['cubic'] < CAPABLE * point.rate:
            return f'the box cannot do {point.rate:g} Mbit/s here (TCP without limits of the path: {self.capability["cubic"]:.0f} Mbit/s)'
        if ends < CAPABLE * point.rate:
            return f'the ends cannot do {point.rate:g} Mbit/s here (jwarp without limits of the path: {ends:.0f} Mbit/s)'
        return None

    def repetition(self, point, repetition, warm, seconds):
        """Each contender once. Returns whether the point can go on."""
        for contender in point.runs:
            try:
                run = self.lab.run(contender.path, contender.flows, warm, seconds, seed=repetition)
            except NoPath as e:
                self.report.not_run(point.name, str(e))
                return False
            except Broken as e:
                if all(kind in KERNEL for kind, _ in contender.flows):
                    self.report.not_run(point.name, f'{contender.label} {repetition}: {e}')
                else:
                    self.report.bar(point.name, f'{contender.label} runs', False, str(e))
                return False
            if run['log'].overrun:
                self.report.not_run(point.name, f'the box lost {run["log"].overrun} packets that it had no room for')
                return False
            if point.judge is matrix.judge_outage:
                run['figures'][0].update(matrix.outage_figures(run))
            point.results.setdefault(contender.label, []).append(self.report.run(point, contender.label, repetition, run))
            if repetition == 1:
                self.report.lines(point, contender.label, run)
        return True

    def point(self, point, known):
        """Measures what is not known of a point yet, and judges it."""
        done = point.take(known['runs']) if known else 0
        self.report.begin([run for runs in point.results.values() for run in runs])
        reason = self.capable(point)
        if reason:
            self.report.not_run(point.name, reason)
            return
        warm = point.warm if self.options.warm is None else self.options.warm
        seconds = point.seconds if self.options.seconds is None else self.options.seconds
        if point.judge is matrix.judge_outage:
            warm, seconds = point.warm, point.seconds
        bars = []
        for repetition in range(done + 1, (QUICK_MOST if self.options.quick else 2 * self.options.repeat) + 1):
            if not self.repetition(point, repetition, warm, seconds):
                return
            if repetition < self.options.repeat:
                continue
            bars = list(point.judge(point, self.options.quick))
            if self.options.quick:
                # One short run is an accident on a busy machine: who fails is tried again, and medians count.
                if all(held is not False for _, held, _ in bars):
                    break
            elif point.enough(self.report.now['runs'], self.options.repeat):
                break
        for what, held, figures in bars:
            self.report.bar(point.name, what, held, figures)


def first_line(*words):
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=20, cwd=HERE).stdout.splitlines()[0]
    except (OSError, IndexError, subprocess.TimeoutExpired):
        return 'unknown'


def main():
    parser = argparse.ArgumentParser(usage='see interop/congestion/run --help')
    parser.add_argument('--box')
    parser.add_argument('--classes')
    parser.add_argument('--only', default='.')
    parser.add_argument('--repeat', type=int, default=2)
    parser.add_argument('--quick', action='store_true')
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--strict', action='store_true')
    parser.add_argument('--resume', action='store_true')
    parser.add_argument('--mixed', action='store_true')
    parser.add_argument('--most', type=float)
    parser.add_argument('--also', default='')
    parser.add_argument('--seconds', type=float)
    parser.add_argument('--warm', type=float)
    parser.add_argument('--out')
    options = parser.parse_args()
    also = [kind for kind in options.also.split(',') if kind]
    unknown = set(also) - {'reno', 'bbr', 'cubic-paced', 'ud-write', 'rd-read', 'ud-read'}
    if unknown:
        parser.error(f'--also takes reno, bbr, cubic-paced, ud-write, rd-read and ud-read, not {", ".join(unknown)}')
    if options.repeat < 1:
        parser.error('--repeat takes 1 or more')
    wanted = matrix.every(also)
    if options.quick:
        wanted, options.repeat = matrix.quick(wanted), 1
    try:
        wanted = [point for point in wanted if re.search(options.only, point.name)]
    except re.error as e:
        parser.error(f'--only: {e}')
    if options.list or not wanted:
        print('\n'.join(point.name for point in wanted) or 'no such point')
        return 0 if wanted else 2
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    make_spaces()
    jar = options.classes.split(':')[0]
    version = first_line('git', '-C', os.path.dirname(jar), 'describe', '--always', '--dirty')
    with open(jar, 'rb') as file:
        report = Report(options.out, hashlib.sha256(file.read()).hexdigest(), version, options.mixed)
    bench = Bench(Lab(options.box, options.classes), report, options)
    began = time.monotonic()
    remark = (f'jwarp {version}, settings {" ".join(matrix.DEFAULT) or "as they come"}, with the option {" ".join(matrix.TOLERANT)}; '
              f'Linux {os.uname().release}, {CORES} cores, load {os.getloadavg()[0]:.1f}; TCP: cubic by its route, as ss says')
    print(remark, flush=True)
    with open(os.path.join(options.out, 'lines', 'remark.txt'), 'w') as file:
        file.write(remark + '\n')
    try:
        for point in wanted:
            known = report.kept(point) if options.resume else None
            if known and point.enough(known['runs'], options.repeat):
                continue
            if options.most is not None and time.monotonic() - began >= options.most * 60:
                print(f'{options.most:g} minutes are over: --resume goes on', flush=True)
                break
            # Runs of two builds are not mixed in one point.
            bench.point(point, known if known and known['jar'] == report.jar else None)
            report.done(point)
    except KeyboardInterrupt:
        print('ended early', flush=True)
        return 130
    finally:
        for child in list(Child.all):
            child.end()
        # All that are known, not only those that were asked for: a matrix is put together from parts.
        count, summary = report.page(matrix.every(also) if options.resume else wanted, [remark])
        print(f'{summary}; {time.monotonic() - began:.0f} s', flush=True)
    if count['FAIL']:
        return 1
    return 1 if options.strict and count['NOT RUN'] else 0


if __name__ == '__main__':
    sys.exit(main())
