"""What is measured, and the bars."""
import statistics
from dataclasses import dataclass, field

from lab import PACKET, Path

# How jwarp is set: for all but the option, and for a path that is known to lose at random.
DEFAULT = []
TOLERANT = ['jwarp.rd.loss-tolerance=10']

# The bars. With --quick there is one run of a few seconds, so they are wider.
GOODPUT = 0.9           # alone: of CUBIC's
SHORT = 0.1             # of a bandwidth-delay product: queues up to this have bars of their own
GOODPUT_SHORT = 0.8     # alone, at a short queue: of CUBIC's
BENCH = 0.65            # alone, at a short queue: what CUBIC has of the rate; with less, the bench makes bursts, and no other figure counts
LOSS = 2.0              # alone: of CUBIC's; a share below the floor is none
LOSS_FLOOR = 0.0005
SHARE = (0.5, 2.0)      # beside others: of a fair share, for jwarp and for the others
KEPT = 0.5              # beside others: what they keep of their goodput beside one more of their own kind
JAIN, JAIN_SHORT = 0.9, 0.85  # two of jwarp; at a short queue
UD_SHARE = 0.5          # plain datagrams beside CUBIC: of a fair share
RANDOM, RANDOM_TOLERANT = 1.0, 5.0  # random loss: of CUBIC's goodput, by default and with the option
BACK_RTTS = 3           # outage: round trips until ten packets of data have come again
STORM = 0.005           # outage: of the path's bytes, from a second after it began
BURST = 0.05            # outage: what the queue drops in the first second after it
REORDERED = 0.8         # late packets: of its own goodput without them
QUICK_GOODPUT, QUICK_LOSS, QUICK_SHARE = 0.8, 2.5, (0.3, 2.0)

OUTAGE = (5, 15)


@dataclass
class Run:
    """One contender of a point: a path, and the flows that share it."""

    label: str
    path: Path
    flows: list


@dataclass
class Point:
    name: str
    runs: list
    judge: object
    warm: float
    seconds: float
    rate: float
    results: dict = field(default_factory=dict)

    def complete(self, runs):
        """How often each contender has run."""
        labels = [run['label'] for run in runs]
        return min(labels.count(run.label) for run in self.runs)

    def enough(self, runs, repeat):
        """Whether each contender has run so often, and more than half of these times undisturbed; or twice as often."""
        complete = self.complete(runs)
        quiet = min(sum(run['label'] == one.label and not run['disturbed'] for run in runs) for one in self.runs)
        return complete >= repeat and (2 * quiet > repeat or complete >= 2 * repeat)

    def take(self, runs):
        """Goes on from runs of another time; those of a repetition that not all contenders have had do not count. Returns how many repetitions there are."""
        complete = self.complete(runs)
        for run in runs:
            if run['repetition'] <= complete:
                self.results.setdefault(run['label'], []).append(run)
        return complete


class Figure:
    """A median of several runs and their spread; of those that were not disturbed, if there are any."""

    def __init__(self, values):
        self.median = statistics.median(values)
        self.least, self.most = min(values), max(values)

    def text(self, scale=1, digits=1):
        if self.least == self.most:
            return f'{self.median * scale:.{digits}f}'
        return f'{self.median * scale:.{digits}f} ({self.least * scale:.{digits}f}…{self.most * scale:.{digits}f})'


def chosen(runs):
    return [run for run in runs if not run['disturbed']] or runs


def figure(runs, take):
    return Figure([take(run) for run in chosen(runs)])


def goodput(number=0):
    return lambda run: run['figures'][number]['goodput']


def dropped(number=0):
    return lambda run: run['figures'][number]['dropped']


def why(runs):
    """Why a flow ended early, if one did."""
    for run in runs:
        for flow in run['figures']:
            if flow['why']:
                return f'; {flow["kind"]}: {flow["why"]}'
    return ''


# Each judge gives rows: what the bar is, whether it was held (None: only told), and the figures.

def short(point):
    return point.name.endswith(f'/{SHORT:g}bdp')


def judge_alone(point, quick):
    theirs, ours = figure(point.results['cubic'], goodput()), figure(point.results['rd'], goodput())
    lost, of_ours = figure(point.results['cubic'], dropped()), figure(point.results['rd'], dropped())
    part, times = (QUICK_GOODPUT, QUICK_LOSS) if quick else (GOODPUT_SHORT if short(point) else GOODPUT, LOSS)
    if short(point):
        yield (f'the bench: CUBIC ≥ {BENCH} of the rate', theirs.median >= BENCH * point.rate, f'{theirs.text()} of {point.rate} Mbit/s')
    yield (f'goodput ≥ {part} × CUBIC', ours.median >= part * theirs.median, f'{ours.text()} against {theirs.text()} Mbit/s' + why(point.results['rd']))
    yield (f'loss ≤ {times} × CUBIC', of_ours.median <= max(times * lost.median, LOSS_FLOOR), f'{of_ours.text(100, 3)} against {lost.text(100, 3)} %')
    for label, runs in point.results.items():
        if label not in ('cubic', 'rd'):
            yield (f'{label}, told', None, f'{figure(runs, goodput()).text()} Mbit/s, loss {figure(runs, dropped()).text(100, 3)} %' + why(runs))


def shares(run):
    """Of the first flow, and of the others on average: by what were fair."""
    all_flows = [flow['goodput'] for flow in run['figures']]
    fair = sum(all_flows) / len(all_flows) or 1
    return all_flows[0] / fair, sum(all_flows[1:]) / (len(all_flows) - 1) / fair


def judge_beside(point, quick):
    least, most = QUICK_SHARE if quick else SHARE
    among = figure(point.results['cubic'], lambda run: statistics.mean(flow['goodput'] for flow in run['figures'])) if 'cubic' in point.results else None
    for label, runs in point.results.items():
        if label == 'cubic':
            continue
        ours, theirs = figure(runs, lambda run: shares(run)[0]), figure(runs, lambda run: shares(run)[1])
        rest = figure(runs, lambda run: statistics.mean(flow['goodput'] for flow in run['figures'][1:]))
        held = least <= ours.median <= most and least <= theirs.median <= most
        paced = label == 'cubic-paced'
        yield (f'{label}: shares {least} … {most} of fair', None if paced else held,
               f'{"CUBIC paced" if paced else "RD"} {ours.text(1, 2)}, CUBIC {theirs.text(1, 2)}: {figure(runs, goodput()).text()} beside {rest.text()} Mbit/s, '
               f'loss {figure(runs, dropped()).text(100, 2)} and {figure(runs, dropped(1)).text(100, 2)} %' + why(runs))
        if among and not paced:
            yield (f'{label}: CUBIC keeps ≥ {KEPT}', rest.median >= KEPT * among.median, f'{rest.text()} Mbit/s, and {among.text()} among CUBIC alone')


def jain(run):
    values = [flow['goodput'] for flow in run['figures']]
    return sum(values) ** 2 / (len(values) * sum(value * value for value in values)) if any(values) else 0


def judge_fair(point, quick):
    runs = point.results['rd+rd']
    index, least = figure(runs, jain), JAIN_SHORT if short(point) else JAIN
    yield (f'Jain ≥ {least}', index.median >= least, f'{index.text(1, 3)}: {figure(runs, goodput(0)).text()} and {figure(runs, goodput(1)).text()} Mbit/s' + why(runs))


def judge_ud(point, quick):
    ours = figure(point.results['ud+cubic'], lambda run: shares(run)[0])
    runs = point.results['ud+cubic']
    yield (f'UD ≥ {UD_SHARE} of a fair share', ours.median >= UD_SHARE,
           f'{ours.text(1, 2)}: {figure(runs, goodput()).text()} beside {figure(runs, goodput(1)).text()} Mbit/s' + why(runs))
    yield ('UD alone, told', None, f"{figure(point.results['ud'], goodput()).text()} Mbit/s, loss {figure(point.results['ud'], dropped()).text(100, 2)} %")


def judge_loss(point, quick):
    theirs = figure(point.results['cubic'], goodput())
    for label, times in (('rd', RANDOM), ('rd-tolerant', RANDOM_TOLERANT)):
        if label not in point.results:
            continue
        ours = figure(point.results[label], goodput())
        yield (f'{label} ≥ {times} × CUBIC', ours.median >= times * theirs.median,
               f'{ours.text(1, 2)} against {theirs.text(1, 2)} Mbit/s: {ours.median / max(theirs.median, 1e-9):.1f} times' + why(point.results[label]))


def outage_figures(run):
    """What an outage is judged by, of a run with all its lines: ten packets of data came again; what came from a second into it on; and what was after it."""
    flow, (start, end) = run['flows'][0], OUTAGE
    return dict(back_ms=flow.data['back_window_ms'] or None,
                meanwhile=flow.data['arrived_bytes_line'].between(start + 1, end) * 8e-6 / (run['path'].rate * (end - start - 1)),
                after=flow.line.between(end + 1, end + 4) * 8e-6 / 3, burst=flow.figures(end, end + 1)['dropped'])


def of_outage(name):
    return lambda run: run['figures'][0][name]


def judge_outage(point, quick):
    limit = BACK_RTTS * point.runs[0].path.rtt
    for label, runs in point.results.items():
        ours = label != 'cubic'
        back, after = figure(runs, lambda run: run['figures'][0]['back_ms'] or 1e6), figure(runs, of_outage('after'))
        came = 'never' if back.median >= 1e6 else f'{back.text()} ms'
        yield (f'{label}: back within {BACK_RTTS} round trips ({limit:g} ms)', back.median <= limit if ours else None,
               f'{came} after the path; {after.text()} Mbit/s from the 2nd to the 4th second' + why(runs))
        quiet, burst = figure(runs, of_outage('meanwhile')), figure(runs, of_outage('burst'))
        held = quiet.median <= STORM and burst.median <= BURST and not why(runs)
        yield (f'{label}: no storm (≤ {STORM:.1%} meanwhile, ≤ {BURST:.0%} dropped after)', held if ours else None,
               f'{quiet.text(100, 3)} % of the path meanwhile, {burst.text(100, 2)} % dropped in the first second' + why(runs))


def judge_reorder(point, quick):
    ours, straight, theirs = (figure(point.results[label], goodput()) for label in ('rd', 'rd-in-order', 'cubic'))
    yield (f'no collapse: ≥ {REORDERED} × in order', ours.median >= REORDERED * straight.median,
           f'{ours.text()} against {straight.text()} Mbit/s in order; CUBIC {theirs.text()}' + why(point.results['rd']))


def name_of(rate, rtt, queue):
    return f'{rate:g}M/{rtt:g}ms/{queue:g}bdp'


def lasts(path, warm, seconds):
    """
    Warm-up and what is measured, at most so long where round trips are short. CUBIC takes K = cbrt(0.3 W / 0.4) seconds from a loss
    back to where it was (RFC 9438, figure 2): one of them and three are enough, and no less than 50 and 100 round trips; where round
    trips are long, no less than 10 and 30 s.
    """
    k = (0.75 * (path.bdp + path.queue) / PACKET) ** (1 / 3)
    if path.rtt >= 50:
        return max(10, k), max(30, 3 * k)
    return min(warm, max(1.5, 0.05 * path.rtt, k)), min(seconds, max(5, 0.1 * path.rtt, 3 * k))


def every(also):
    """All points there are, in the order in which they are measured."""
    rd, cubic = ('rd-write', DEFAULT), ('cubic', [])
    tolerant = ('rd-write', TOLERANT)
    points = []

    def add(name, judge, times, rate, *runs):
        points.append(Point(name, [Run(*run) for run in runs], judge, *times, rate))

    for rate, rtt, queue in ((20, 100, 0.1), (100, 20, 0.5), (100, 20, 1), (10, 20, 1)):
        path = Path(rate, rtt, queue)
        add('alone/' + name_of(rate, rtt, queue), judge_alone, lasts(path, 3, 12), rate, ('cubic', path, [cubic]), ('rd', path, [rd]),
            *((kind, path, [(kind, DEFAULT)]) for kind in also if kind != 'cubic-paced'))
    # A short queue is 17 packets of 0.6 ms each: with 0.12 ms each, a box that is 2 ms late would fill the queue by itself.
    for others, rate, rtt, queue, times in ((1, 20, 100, 0.1, (10, 25)), (1, 100, 20, 1, (5, 15)), (4, 100, 20, 1, (5, 15))):
        path = Path(rate, rtt, queue)
        add(f'beside{others}/' + name_of(rate, rtt, queue), judge_beside, times, rate, ('rd', path, [rd] + [cubic] * others),
            ('cubic', path, [cubic] * (others + 1)),
            *(('cubic-paced', path, [('cubic-paced', [])] + [cubic] * others) for kind in also if kind == 'cubic-paced'))
    for rate, rtt, queue, times in ((20, 100, 0.1, (15, 30)), (100, 20, 1, (5, 15))):
        path = Path(rate, rtt, queue)
        add('fair/' + name_of(rate, rtt, queue), judge_fair, times, rate, ('rd+rd', path, [rd, rd]))
    ud, path = ('ud-write', DEFAULT), Path(100, 20, 1)
    add('ud/' + name_of(100, 20, 1), judge_ud, lasts(path, 5, 15), 100, ('ud', path, [ud]), ('ud+cubic', path, [ud, cubic]))
    # The option is for paths that are known to lose at random.
    path = Path(20, 100, 1, loss=0.05)
    add('loss/20M/100ms/5%', judge_loss, (5, 15), 20, ('cubic', path, [cubic]), ('rd', path, [rd]), ('rd-tolerant', path, [tolerant]))
    path = Path(100, 20, 1, outage=f'{OUTAGE[0]}-{OUTAGE[1]}')
    add('outage/100M/20ms', judge_outage, (2, OUTAGE[1] + 4 - 2), 100, ('rd', path, [rd]), ('cubic', path, [cubic]))
    late = Path(100, 20, 1, late='0.05,5')
    add('reorder/100M/20ms/5%', judge_reorder, lasts(late, 3, 12), 100, ('rd', late, [rd]), ('rd-in-order', Path(100, 20, 1), [rd]), ('cubic', late, [cubic]))
    return points


# With what contenders, and how long it is not measured, and is; none as the point needs. No queue of a tenth: what others do on the machine
# makes bursts, which are too much for it, be they TCP's or jwarp's.
QUICK = {'alone/100M/20ms/0.5bdp': (('cubic', 'rd'), 3, 6), 'alone/100M/20ms/1bdp': (('cubic', 'rd'), 2, 4), 'beside1/100M/20ms/1bdp': (('rd',), 2, 4),
         'loss/20M/100ms/5%': (('cubic', 'rd'), 2, 4), 'outage/100M/20ms': (('rd',), None, None)}


def quick(points):
    """A few points, and of them what a bar needs."""
    few = [point for point in points if point.name in QUICK]
    for point in few:
        labels, warm, seconds = QUICK[point.name]
        point.runs = [run for run in point.runs if run.label in labels]
        if seconds:
            point.warm, point.seconds = warm, seconds
    return few
