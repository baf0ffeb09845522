import { describe, expect, it } from '@jest/globals'
import {
  agentCondition,
  commandToMend,
  notableFailureRate,
} from '../../functions/ui/app/components/agent-condition.ts'
import { bulkCounts, bulkText } from '../../functions/ui/app/components/bulk-outcome.ts'
import { costText } from '../../functions/ui/app/components/cost-text.ts'
import { daysAsMoments, lastDays, startOfDay } from '../../functions/ui/app/components/days.ts'
import {
  AT_FIRST,
  filesWithin,
  lineWeight,
  splitByWeight,
  startOfDiffLine,
} from '../../functions/ui/app/components/diff-budget.ts'
import { buildFileTree, type Folder } from '../../functions/ui/app/components/diff-tree.ts'
import { safeLink } from '../../functions/ui/app/components/link.ts'
import { shownArguments } from '../../functions/ui/app/components/shown-arguments.ts'
import { formatDuration, formatRelative } from '../../functions/ui/app/components/time.ts'
import { isStuck } from '../../functions/ui/app/components/usual-time.ts'
import { waitingText } from '../../functions/ui/app/components/waiting.ts'
import { limitErrors, limitTexts, readLimits } from '../../functions/ui/app/create/limits.ts'
import { newTaskBody } from '../../functions/ui/app/create/new-task.ts'
import { inBulk, type Progress } from '../../functions/ui/app/data/bulk.ts'
import { causeDetail, causeTitle } from '../../functions/ui/app/data/failures.ts'
import { EVERY_MS, intervalAfter, intervalUntil, periodEnd } from '../../functions/ui/app/data/live.ts'
import { patched } from '../../functions/ui/app/data/live-events.ts'
import { estimatedOffset, narrowed } from '../../functions/ui/app/data/server-clock.ts'
import { isCovered, TOPICS } from '../../functions/ui/app/data/streaming.ts'
import { keyTable, listedKeys, places } from '../../functions/ui/app/shell/key-table.ts'
import { newPath } from '../../functions/ui/app/shell/old-addresses.ts'
import { detailsLine } from '../../functions/ui/app/views/audit/actions.ts'
import { axisTicks, taskSpans, visibleMarks } from '../../functions/ui/app/views/task/spans.ts'
import { nextOfGap, threadRows } from '../../functions/ui/app/views/task/thread-rows.ts'
import type { Agent } from '../../lib/agents/schema.ts'
import { ApiError } from '../../lib/api/api-error.ts'
import { continued, isReadBackDue, placeIn } from '../../lib/api/task-log.ts'
import type { BulkSummary } from '../../lib/bulk/schema.ts'
import { parseDiff, sideBySide } from '../../lib/core/diff-files.ts'
import type { Task, TaskEvent, TaskFields } from '../../lib/tasks/schema.ts'

describe('the details of an audit record', () => {
  it('are one line, without ids where there is anything else', () => {
    const id = `tok_${'0'.repeat(26)}`
    const details = { id, name: 'Build', scopes: ['gateway', 'webhooks'], total: 2 }
    expect(detailsLine(details)).toBe('name: Build · scopes: gateway, webhooks · total: 2')
    expect(detailsLine({ id })).toBe(`id: ${id}`)
    expect(detailsLine({ inviteId: id, expiresAt: '2026-12-04T21:47:48.191Z' })).toMatch(/^expires at: .*Dec/)
    expect(detailsLine({ as: 'founder' })).toBe('by: first account')
  })
})

describe('the title of a cause of failures', () => {
  it.each([
    ['npm test exited with code 1\n\n  1 of 2 failed\nmore', 'npm test exited with code 1', '1 of 2 failed'],
    ['\n one line \n', 'one line', undefined],
    ['', 'Failed without a message', undefined],
  ])('%j is its first line with text, followed by the next', (lastMessage, title, detail) => {
    expect([causeTitle({ lastMessage }), causeDetail({ lastMessage })]).toEqual([title, detail])
  })
})

describe('a cost', () => {
  it.each([
    ['$1.23', { usd: 1.234, source: 'provider' }],
    ['$1,234.50', { usd: 1234.5, source: 'price' }],
    ['$0.01', { usd: 0.01, source: 'price' }],
    ['$0.0017', { usd: 0.0017214, source: 'price' }],
    ['<$0.0001', { usd: 0.000_012, source: 'price' }],
    ['$0.00', { usd: 0, source: 'provider' }],
    ['$0.42+', { usd: 0.42, source: 'unknown' }],
    ['unknown', { usd: null, source: 'unknown' }],
  ] as const)('is %s', (text, cost) => expect(costText(cost)).toBe(text))
})

describe('the turns of a thread that are shown', () => {
  const thread = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `t${n + 1}` }) as Task)
  const shown = (count: number, current: number, asked: readonly string[] = []) =>
    threadRows(thread(count), `t${current}`, new Set(asked)).map((row) =>
      row.kind === 'turn' ? row.number : `${row.turns.length} hidden`,
    )
  const latest = [33, 34, 35, 36, 37, 38, 39, 40]
  it.each([
    ['all of a few', shown(8, 1), [1, 2, 3, 4, 5, 6, 7, 8]],
    ['the latest of many', shown(40, 40), ['32 hidden', ...latest]],
    ['the first, where it is the current one', shown(40, 1), [1, '31 hidden', ...latest]],
    ['the current one among many', shown(40, 20), ['19 hidden', 20, '12 hidden', ...latest]],
    ['those that were asked for', shown(40, 40, ['t31', 't32']), ['30 hidden', 31, 32, ...latest]],
  ])('are %s', (_name, rows, expected) => expect(rows).toEqual(expected))

  it('are joined by the twenty before a gap ends', () => {
    const next = nextOfGap({ kind: 'gap', turns: thread(30) })
    expect([next.length, next[0], next.at(-1)]).toEqual([20, 't11', 't30'])
  })
})

describe('the clock of the server, known from the whole seconds of its answers', () => {
  const seen = (sentAt: number, receivedAt: number, date: number) => ({ sentAt, receivedAt, date })
  it.each([
    ['is that of the browser where it may be', [seen(10_400, 10_600, 10_000)], 0],
    ['is ahead by what the first answer says', [seen(10_000, 10_200, 70_000)], 60_400],
    [
      'is known better with each answer',
      [seen(10_000, 10_200, 70_000), seen(10_900, 11_000, 70_000), seen(12_000, 12_100, 72_000)],
      60_000,
    ],
    ['was set meanwhile', [seen(10_000, 10_200, 70_000), seen(12_400, 12_600, 12_000)], 0],
  ])('%s', (_name, answers, offset) => {
    const bounds = answers.reduce<ReturnType<typeof narrowed> | undefined>(narrowed, undefined)
    expect(bounds && estimatedOffset(bounds)).toBe(offset)
  })
})

describe('the life of a task', () => {
  const event = (
    type: TaskEvent['type'],
    seconds: number,
    attempt?: number,
    more: Partial<TaskEvent> = {},
  ): TaskEvent => ({
    id: `event_${seconds}`,
    taskId: 'task_1',
    type,
    timestamp: new Date(seconds * 1_000).toISOString(),
    ...(attempt === undefined ? {} : { attempt }),
    ...more,
  })
  const NOW = 100_000
  const spanLines = (events: readonly TaskEvent[], endedAt?: number) =>
    taskSpans(events, NOW, endedAt).map(({ kind, attempt, from, to, ended }) =>
      [kind, attempt, from / 1_000, to === undefined ? 'now' : to / 1_000, ended]
        .filter((x) => x !== undefined)
        .join(' '),
    )

  const backoff = (delayMs: number) => ({ metadata: { code: 'agent_error', delayMs } })
  const code = (name: string) => ({ metadata: { code: name } })
  it.each([
    [
      'that was retried once and completed',
      [
        event('created', 0),
        event('queued', 1),
        event('started', 2, 1),
        event('retrying', 4, 1, backoff(3_000)),
        event('started', 9, 2),
        event('completed', 12, 2),
      ],
      ['queue 1 0 2', 'attempt 1 2 4 failed', 'backoff 1 4 7', 'queue 2 7 9', 'attempt 2 9 12 completed'],
    ],
    [
      'whose next attempt began before its backoff was over, by the clock of another machine',
      [event('started', 0, 1), event('retrying', 4, 1, backoff(3_000)), event('started', 6, 2)],
      ['attempt 1 0 4 failed', 'backoff 1 4 6', 'attempt 2 6 now'],
    ],
    [
      'whose backoff is over',
      [event('started', 0, 1), event('retrying', 4, 1, backoff(3_000))],
      ['attempt 1 0 4 failed', 'backoff 1 4 7', 'queue 1 7 now'],
    ],
    [
      'whose backoff is not over',
      [event('started', 0, 1), event('retrying', 4, 1, backoff(300_000))],
      ['attempt 1 0 4 failed', 'backoff 1 4 now'],
    ],
    [
      'that was deferred and queued when its time came',
      [event('started', 0, 1), event('retrying', 4, 1, backoff(6_000)), event('queued', 10)],
      ['attempt 1 0 4 failed', 'backoff 1 4 10', 'queue 1 10 now'],
    ],
    ['that waits', [event('created', 0), event('queued', 1)], ['queue 1 0 now']],
    [
      'that runs',
      [event('created', 0), event('started', 2, 1), event('progress', 3, 1)],
      ['queue 1 0 2', 'attempt 1 2 now'],
    ],
    ['that was cancelled before it ran', [event('created', 0), event('cancelled', 3)], ['queue 1 0 3']],
    [
      'whose worker died',
      [
        event('created', 0),
        event('started', 1, 1),
        event('recovered', 5, 1, code('worker_lost')),
        event('started', 6, 2),
        event('failed', 7, 2),
      ],
      ['queue 1 0 1', 'attempt 1 1 5 lost', 'queue 2 5 6', 'attempt 2 6 7 failed'],
    ],
    [
      'that outlived a restart of the service',
      [event('started', 1, 1), event('recovered', 5, 1, code('released')), event('started', 6, 1)],
      ['attempt 1 1 5 interrupted', 'queue 1 5 6', 'attempt 1 6 now'],
    ],
    [
      'that asked for an approval',
      [
        event('started', 1, 1),
        event('progress', 5, 1, code('waiting_for_approval')),
        event('progress', 9, 1, code('resumed')),
        event('completed', 11, 1),
      ],
      ['attempt 1 1 5 paused', 'decision 1 5 9', 'attempt 1 9 11 completed'],
    ],
    ['that was imported when it was over', [event('created', 0, undefined, { message: 'imported' })], []],
    [
      'that was imported to be run',
      [event('queued', 0, undefined, { message: 'imported' })],
      ['queue 1 0 now'],
    ],
    [
      'that was taken back from the dead letters',
      [
        event('created', 0),
        event('started', 1, 1),
        event('failed', 2, 1),
        event('retried', 8),
        event('queued', 8),
      ],
      ['queue 1 0 1', 'attempt 1 1 2 failed', 'queue 2 8 now'],
    ],
    [
      'that was run again as a new task',
      [event('started', 1, 1), event('completed', 2, 1), event('retried', 8, undefined, code('run_as_new'))],
      ['attempt 1 1 2 completed'],
    ],
    ['of which nothing is known', [], []],
  ])('%s is shown as what it was', (_name, events, spans) => {
    expect(spanLines(events)).toEqual(spans)
  })

  it('lasts no longer than until its end, where the end of its attempt is not in the log yet', () => {
    expect(spanLines([event('created', 0), event('started', 1, 1)], 2_000)).toEqual([
      'queue 1 0 1',
      'attempt 1 1 2',
    ])
  })

  it.each([
    ['of which nothing is known', [], undefined],
    ['of the last minute', [0, 30, 60], undefined],
    ['that is longer', [0, 30, 61, 100], 30],
    ['whose last event came late', [0, 30, 200], 30],
  ])(
    'is read on from a minute before its end, so that no late event is missed: one %s',
    (_name, seconds, from) => {
      const known = seconds.map((second) => event('progress', second))
      expect(placeIn(known)).toBe(from === undefined ? undefined : `event_${from}`)
      const stored = [...known, event('progress', 62), event('progress', 300)].toSorted(
        (a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp),
      )
      const answered = stored.slice(stored.findIndex(({ id }) => id === placeIn(known)) + 1)
      expect(continued(known, placeIn(known), answered)).toEqual(stored)
    },
  )

  it('tells the attempts of a retry from those before it', () => {
    const events = [
      ...[event('created', 0), event('started', 1, 1), event('failed', 2, 1)],
      ...[event('retried', 5), event('started', 6, 1), event('completed', 7, 1)],
    ]
    expect(
      taskSpans(events, NOW).map(({ kind, attempt, run }) => `${kind} ${attempt} of run ${run}`),
    ).toEqual([...['queue 1 of run 1', 'attempt 1 of run 1'], ...['queue 2 of run 2', 'attempt 1 of run 2']])
  })

  it('is read so again once 15 s have gone by, by the page as by the command line', () => {
    expect([0, 15_000, 15_001].map((now) => isReadBackDue(0, now))).toEqual([false, false, true])
  })

  it('keeps what was said where it was said', () => {
    const [, attempt] = taskSpans(
      [event('created', 0), event('started', 1, 1), { ...event('progress', 2, 1), message: 'Step 1' }],
      NOW,
    )
    expect(attempt?.marks).toEqual([{ at: 2_000, message: 'Step 1' }])
  })

  it('keeps what was said in an attempt within it, though it was stored after its end', () => {
    const [, attempt] = taskSpans(
      [event('created', 0), event('started', 1, 1), event('progress', 9, 1), event('failed', 4, 1)],
      NOW,
    )
    expect(attempt?.marks.map(({ at }) => at)).toEqual([4_000])
  })

  it('shows a thousand marks as the hundredths of the axis in which they lie', () => {
    const marks = Array.from({ length: 1_000 }, (_, n) => ({ at: 5_000 + n, message: `Step ${n}` }))
    const visible = visibleMarks(marks, { from: 5_000, to: 6_000 })
    expect(visible).toHaveLength(100)
    expect(visible[1]).toEqual({ at: 5_010, message: 'Step 10, and 9 more' })
    expect(visibleMarks(marks, { from: 5_100, to: 5_109 })).toEqual(marks.slice(100, 110))
  })

  it.each([
    [7, 8],
    [950, 6],
    [61_000, 7],
    [86_400_000 * 400, 7],
  ])('has few ticks over %i ms', (length, most) => {
    const ticks = axisTicks(length)
    expect(ticks[0]).toBe(0)
    expect(ticks.length).toBeLessThanOrEqual(most)
    expect(ticks.at(-1)).toBeLessThanOrEqual(length)
  })
})

describe('a row after an event of its task', () => {
  const known: TaskFields = {
    id: 'task_1',
    title: 'A',
    status: 'in_progress',
    prompt: 'Do',
    waitingFor: 'approval',
    nextAttemptAt: '2026-01-01T00:00:00.000Z',
    error: { code: 'timeout', message: 'Late' },
  }
  const error = { code: 'agent_error', message: 'No' }
  it.each<[string, TaskFields, TaskFields]>([
    [
      'loses what the task has no more, and keeps what no event has',
      { id: 'task_1', title: 'A', status: 'completed' },
      { id: 'task_1', title: 'A', status: 'completed', prompt: 'Do' },
    ],
    [
      'keeps what was too long for the event',
      { id: 'task_1', status: 'queued', error },
      { id: 'task_1', title: 'A', status: 'queued', prompt: 'Do', error },
    ],
  ])('%s', (_what, event, row) => {
    expect(patched(known, event)).toEqual(row)
  })
})

describe('what the stream of events covers', () => {
  it.each([
    ['tasks', true],
    ['task-logs', false],
    ['runners', false],
    ['agents', false],
    ['health', false],
    ['nothing', false],
  ])('%s: %s; all else is polled', (topic, expected) => {
    expect(isCovered([topic])).toBe(expected)
  })

  it('loads what a runner changes when it comes or goes', () => {
    expect(TOPICS.runner).toEqual(['runners', 'agents', 'health'])
  })
})

describe('time in words', () => {
  it.each([
    [0, '0ms'],
    [840, '840ms'],
    [1_450, '1.4s'],
    [9_960, '9s'],
    [200_000, '3m 20s'],
    [3_600_000, '1h'],
    [90_000_000, '1d 1h'],
    [-5, '0ms'],
  ])('%i ms are %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })

  it.each([
    [-1_000, 'just now'],
    [-65_000, '1m ago'],
    [7_200_000, 'in 2h'],
    [604_795_000, 'in 7d'],
    [3_590_000, 'in 1h'],
  ])('what is %i ms away is %s', (ms, text) => {
    expect(formatRelative(1_000_000_000, 1_000_000_000 + ms)).toBe(text)
  })
})

describe('the days of a plot', () => {
  it('are all there, those without tasks too', () => {
    const known = { date: '2026-03-01', created: 3, completed: 1, failed: 1, costUsd: 0 }
    const days = lastDays([known], Date.parse('2026-03-02T10:00:00Z'), 3)
    expect(days.map(({ date, created }) => [date, created])).toEqual([
      ['2026-02-28', 0],
      ['2026-03-01', 3],
      ['2026-03-02', 0],
    ])
  })
})

describe('a day of a time zone', () => {
  it.each([
    ['2026-11-25', 'UTC', '2026-11-25T00:00:00.000Z'],
    ['2026-11-25', 'Europe/Vienna', '2026-11-24T23:00:00.000Z'],
    ['2026-11-25', 'Asia/Kathmandu', '2026-11-24T18:15:00.000Z'],
    ['2026-11-25', 'Pacific/Kiritimati', '2026-11-24T10:00:00.000Z'],
    ['2026-11-25', 'Pacific/Pago_Pago', '2026-11-25T11:00:00.000Z'],
    ['a day without a midnight, 2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00.000Z'],
    ['the day after the clocks changed, 2026-03-30', 'Europe/Vienna', '2026-03-29T22:00:00.000Z'],
  ])('%s in %s begins at %s', (day, zone, at) => {
    expect(new Date(startOfDay(day.slice(-10), zone)).toISOString()).toBe(at)
  })

  it('is a filter from its first moment to its last; what is a moment, and what is no day, stays', () => {
    const filters = {
      status: 'failed',
      q: '2026-11-25',
      createdAfter: '2026-11-25',
      createdBefore: '2026-11-25',
      completedAfter: '2026-11-25T10:00:00Z',
      completedBefore: '2026-02-31',
    }
    expect(daysAsMoments(filters, 'America/New_York')).toEqual({
      ...filters,
      createdAfter: '2026-11-25T05:00:00.000Z',
      createdBefore: '2026-11-26T04:59:59.999Z',
    })
  })
})

describe('an agent', () => {
  const agent = { configured: true, inService: true, healthy: true, runners: [] as string[] } as Agent
  const unset = { ...agent, configured: false, inService: false, healthy: false }
  const ends = (completed: number, failed: number, hour: readonly [number, number] = [0, 0]) => ({
    hour: { completed: hour[0], failed: hour[1] },
    day: { completed, failed },
  })
  it.each([
    ['not called anything while that is not known', undefined, agent, undefined],
    ['healthy without tasks', 'healthy', agent, ends(0, 0)],
    ['healthy while fewer than five tasks failed', 'healthy', agent, ends(0, 4)],
    ['healthy while no more tasks fail than complete', 'healthy', agent, ends(9, 9)],
    ['failing when most of its tasks fail', 'failing', agent, ends(17, 45)],
    ['failing in this hour though the day was good', 'failing', agent, ends(300, 100, [0, 100])],
    ['healthy when it failed twice in this hour', 'healthy', agent, ends(300, 2, [0, 2])],
    ['unhealthy by its own check', 'unhealthy', { ...agent, healthy: false }, ends(9, 0)],
    ['not configured first of all', 'unconfigured', unset, undefined],
    [
      'healthy where a runner has what the service does not run',
      'healthy',
      { ...agent, inService: false, runners: ['a'] },
      ends(1, 0),
    ],
    ['a demo while the scripted model answers', 'demo', { ...agent, providers: ['demo'] }, ends(9, 0)],
    [
      'healthy where a runner brings a model',
      'healthy',
      { ...agent, providers: ['demo'], runners: ['a'] },
      ends(9, 0),
    ],
    ['failing on its runners too', 'failing', { ...agent, inService: false, runners: ['a'] }, ends(1, 9)],
    [
      'without a runner while the service runs nothing',
      'unassigned',
      { ...agent, inService: false },
      undefined,
    ],
  ] as [string, string | undefined, Agent, ReturnType<typeof ends> | undefined][])(
    'is %s',
    (_says, condition, one, outcomes) => {
      expect(agentCondition(one, outcomes)).toBe(condition)
    },
  )

  it.each([
    ['what follows “run”', 'It is not signed in: run reviewer login', 'reviewer login'],
    ['what is in backticks', 'Sign in with `codex login`, then check again', 'codex login'],
    ['none', 'its disk is full', undefined],
  ])('is mended by the command of its health message: %s', (_what, message, command) => {
    expect(commandToMend(message)).toBe(command)
  })

  it('has a notable rate of failures from a fifth on, and from five failures on', () => {
    expect(notableFailureRate({ completed: 35, failed: 13 })).toBeCloseTo(0.27)
    expect(notableFailureRate({ completed: 10, failed: 4 })).toBeUndefined()
    expect(notableFailureRate({ completed: 300, failed: 20 })).toBeUndefined()
  })

  const hold = (...providers: string[]) => providers.map((provider) => ({ provider }))
  it.each([
    ['while its provider is held, whatever its health says', ['anthropic'], hold('anthropic'), 'held'],
    ['not while another provider of it answers', ['anthropic', 'openai'], hold('openai'), 'unhealthy'],
    ['while all its providers are held', ['anthropic', 'openai'], hold('openai', 'anthropic'), 'held'],
    ['not while a provider is held that it does not need', [], hold('openai'), 'unhealthy'],
  ])('is on hold %s', (_when, providers, holds, condition) => {
    expect(agentCondition({ ...agent, healthy: false, providers }, undefined, holds)).toBe(condition)
  })
})

describe('a run', () => {
  const usual = (count: number, p95Ms: number) => ({ count, p95Ms })
  it.each([
    ['is stuck after twice what is usual', 60_001, usual(10, 30_000), true],
    ['is not stuck before', 60_000, usual(10, 30_000), false],
    ['is not stuck within ten seconds', 10_000, usual(500, 100), false],
    ['is stuck after ten seconds where runs are short', 10_001, usual(500, 100), true],
    ['is not called stuck where too little is known', 9_000_000, usual(9, 30_000), false],
    ['is not called stuck where no run completed', 9_000_000, { count: 0 }, false],
    ['is not called stuck where its agent is not known', 9_000_000, undefined, false],
  ])('%s', (_what, elapsedMs, runs, expected) => {
    expect(isStuck(elapsedMs, runs)).toBe(expected)
  })
})

describe('the files of a diff by folder', () => {
  const file = (path: string, added: number, removed: number) => ({ path, added, removed, lines: [] })
  const lines = ({ name, folders, files, added, removed }: Folder, depth = 0): string[] => [
    `${'  '.repeat(depth)}${name}/ +${added} -${removed}`,
    ...folders.flatMap((folder) => lines(folder, depth + 1)),
    ...files.map((one) => `${'  '.repeat(depth + 1)}${one.name} ${one.at} +${one.added} -${one.removed}`),
  ]

  it('are counted for each folder; a folder with one folder alone is one with it', () => {
    const files = [
      ...[file('z.md', 1, 1), file('src/deep/er/b.ts', 2, 0), file('src/deep/er/a.ts', 3, 4)],
      ...[file('src/deep/c.ts', 0, 5), file('docs/guide/x/y.md', 1, 0)],
    ]
    expect(lines(buildFileTree(files))).toEqual([
      '/ +7 -10',
      ...['  docs/guide/x/ +1 -0', '    y.md 4 +1 -0'],
      ...[
        '  src/deep/ +5 -9',
        '    er/ +5 -4',
        '      a.ts 2 +3 -4',
        '      b.ts 1 +2 -0',
        '    c.ts 3 +0 -5',
      ],
      '  z.md 0 +1 -1',
    ])
  })
})

describe('a diff', () => {
  it('is told apart by its files, with what each gained and lost', () => {
    const text = [
      'diff --git a/a.md b/a.md',
      ...['index 1..2 100644', '--- a/a.md', '+++ b/a.md', '@@ -1 +1,2 @@', '-old', '+new', '+more'],
      'diff --git a/x.png b/x.png',
      'Binary files a/x.png and b/x.png differ',
    ].join('\n')
    expect(parseDiff(text).files).toEqual([
      {
        path: 'a.md',
        lines: [
          { kind: 'hunk', text: '@@ -1 +1,2 @@' },
          { kind: 'removed', text: 'old', before: 1 },
          { kind: 'added', text: 'new', after: 1 },
          { kind: 'added', text: 'more', after: 2 },
        ],
        added: 2,
        removed: 1,
      },
      {
        path: 'x.png',
        isBinary: true,
        lines: [{ kind: 'note', text: 'Binary files a/x.png and b/x.png differ' }],
        added: 0,
        removed: 0,
      },
    ])
    expect(parseDiff('')).toEqual({ files: [], before: '' })
  })

  const read = (...lines: readonly string[]) => {
    const { files, before } = parseDiff(lines.join('\n'))
    return [
      ...(before ? [before] : []),
      ...files.map(
        ({ path, renamedFrom, isBinary, added, removed }) =>
          `${path}${renamedFrom ? ` from ${renamedFrom}` : ''}${isBinary ? ' binary' : ''} +${added} -${removed}`,
      ),
    ]
  }
  const LINES = ['@@ -1 +1 @@', '-a', '+b']
  it.each<[string, readonly string[], readonly string[]]>([
    [
      'of diff -u, whose names have a time behind them',
      ['--- old/a.ts\t2026-01-01 10:00:00', '+++ new/a.ts\t2026-01-02 10:00:00', ...LINES],
      ['new/a.ts from old/a.ts +1 -1'],
    ],
    [
      'of names alone, with the prefixes of git',
      ['--- a/a b.ts', '+++ b/a b.ts', ...LINES, '--- /dev/null', '+++ b/new.ts', '@@ -0,0 +1 @@', '+x'],
      ['a b.ts +1 -1', 'new.ts +1 -0'],
    ],
    [
      'with words before it and between its files',
      ['Index: a.ts', '='.repeat(67), '--- a.ts', '+++ a.ts', ...LINES, 'Index: b.ts', '='.repeat(67)],
      ['a.ts +1 -1'],
    ],
    [
      'in a letter',
      ['What I did:', '', '--- a.ts', '+++ a.ts', ...LINES, '-- ', '2.39'],
      ['What I did:', 'a.ts +1 -1'],
    ],
    [
      'of quoted names',
      ['diff --git "a/caf\\303\\251 \\"x\\".txt" "b/caf\\303\\251 \\"x\\".txt"', ...LINES],
      ['café "x".txt +1 -1'],
    ],
    [
      'of a name with spaces',
      ['diff --git a/a b/c.bin b/a b/c.bin', 'Binary files a/x and b/x differ'],
      ['a b/c.bin binary +0 -0'],
    ],
    [
      'of a rename',
      [
        'diff --git a/a.ts "b/\\t.ts"',
        'similarity index 90%',
        'rename from a.ts',
        'rename to "\\t.ts"',
        ...LINES,
      ],
      ['\t.ts from a.ts +1 -1'],
    ],
    [
      'of a rename alone, without prefixes',
      ['diff --git old name.ts new name.ts', 'rename from old name.ts', 'rename to new name.ts'],
      ['new name.ts from old name.ts +0 -0'],
    ],
    [
      'without prefixes, in a folder a',
      ['diff --git a/x.ts a/x.ts', '--- a/x.ts', '+++ a/x.ts', ...LINES],
      ['a/x.ts +1 -1'],
    ],
    [
      'whose lines look like names',
      ['--- a.sql', '+++ a.sql', '@@ -1,2 +1,2 @@', ' x', '--- one', '+++ two', '@@ -9 +9 @@', '-a', '+b'],
      ['a.sql +2 -2'],
    ],
    [
      'whose counts are wrong',
      [
        '--- a.ts',
        '+++ a.ts',
        '@@ -1,9 +1,9 @@',
        '-a',
        '--- b.ts',
        '+++ b.ts',
        '@@ -1 +1 @@',
        '-a',
        '+b',
        '+c',
      ],
      ['a.ts +0 -1', 'b.ts +2 -1'],
    ],
    ['that is none', ['I changed a.ts', '--- and', 'more'], ['I changed a.ts\n--- and\nmore']],
  ])('is read %s', (_what, lines, expected) => {
    expect(read(...lines)).toEqual(expected)
  })

  it('that was cut off says so in its last line', () => {
    const { files } = parseDiff(
      ['diff --git a/a b/a', '@@ -0,0 +1,9 @@', '+a', '[diff truncated]', ''].join('\n'),
    )
    expect(files[0]?.lines.at(-1)).toEqual({ kind: 'note', text: '[diff truncated]' })
  })
})

const repeatedLines = (text: string, length: number) =>
  Array.from({ length }, () => ({ kind: 'note', text }) as const)

describe('the files of a diff that are open at first', () => {
  const diffFiles = (counts: readonly number[], text: string) =>
    counts.map((count) => ({ lines: repeatedLines(text, count) }))
  const code = 'a'.repeat(50)
  it.each([
    ['are all of a small diff', code, [10, 300, 20], [0, 1, 2]],
    ['are so many as have 500 lines of code together', code, [190, 190, 190, 190, 1], [0, 1]],
    ['count a long file by the part that is drawn', code, [20_000, 90, 20_000, 1], [0, 1, 2, 3]],
    ['are fewer where their letters cost a browser more', 'กขคง'.repeat(200), [5, 9, 14, 5], [0, 1, 2]],
  ])('%s', (_says, text, counts, open) => {
    expect([...filesWithin(AT_FIRST, diffFiles(counts, text))]).toEqual(open)
  })
})

describe('the lines of a file', () => {
  it.each([
    ['code', 'const a = 1'.padEnd(50), 500, [200, 200, 100]],
    ['nothing', '', 500, [275, 225]],
    ['letters of two scripts', 'aж'.repeat(1_000), 20, [8, 8, 4]],
  ])('are drawn in pieces that take a browser little time: lines of %s', (_of, text, count, counts) => {
    expect(splitByWeight(repeatedLines(text, count), lineWeight).map(({ length }) => length)).toEqual(counts)
  })

  it('are shown up to 2,000 letters, and fewer of those that cost a browser more', () => {
    const letters = ['a', 'ก', 'aж'].map((text) => startOfDiffLine(text.repeat(3_000)).length)
    expect(letters).toEqual([2_000, 1_000, 132])
  })
})

describe('a diff side by side', () => {
  it('has each line that was replaced beside what replaced it, and the same lines on both sides', () => {
    const lines = ['@@ -7,4 +9,4 @@ f', ' a', '-b', '-c', '+B', ' d', '+e', '\\ No newline at end of file']
    const [file] = parseDiff(`diff --git a/x b/x\n${lines.join('\n')}\n`).files
    const pairs = [...sideBySide(file?.lines ?? [])].map(({ left, right }) =>
      [left?.before, left?.text, '|', right?.after, right?.text].join(' '),
    )
    expect(pairs).toEqual([
      ' @@ -7,4 +9,4 @@ f |  @@ -7,4 +9,4 @@ f',
      ...['7 a | 9 a', '8 b | 10 B', '9 c |  ', '10 d | 11 d', '  | 12 e'],
      ' \\ No newline at end of file |  \\ No newline at end of file',
    ])
  })
})

describe('a form for a task', () => {
  it('sends what was filled in, in the form that the service takes', () => {
    const form: [string, string][] = [
      ...([
        ['title', ' A '],
        ['priority', '2'],
        ['labels', 'a, ,b '],
        ['branch', ''],
        ['runsOn', 'gpu, linux'],
        ['repository', 'o/r'],
      ] as [string, string][]),
    ]
    const labels = { labels: ['a', 'b'], runsOn: ['gpu', 'linux'] }
    expect(newTaskBody(form)).toEqual({ title: 'A', priority: 2, ...labels, repository: 'o/r' })
    expect(newTaskBody([])).toEqual({ title: '' })
  })
})

describe('the limits of a new task', () => {
  it.each([
    [{ timeoutMs: '1h 30m', maxSteps: '60', maxCostUsd: '2.50' }, [5_400_000, 60, 2.5]],
    [{ timeoutMs: ' 1s ', maxSteps: '1', maxCostUsd: '$ .01' }, [1_000, 1, 0.01]],
    [{ timeoutMs: '24h', maxSteps: '200', maxCostUsd: '1000000' }, [86_400_000, 200, 1_000_000]],
    [{ timeoutMs: '', maxSteps: ' ' }, []],
  ])('%j are read', (texts, numbers) => {
    expect(limitErrors(texts)).toEqual({})
    expect(Object.values(readLimits(texts))).toEqual(numbers)
    expect(readLimits(limitTexts(readLimits(texts)))).toEqual(readLimits(texts))
  })

  it.each([
    ...['soon', '30', '999ms', '25h', '-1h', '1h and more'].map((text) => ['timeoutMs', text]),
    ...['0', '201', '1.5', '-1', '1e2', 'many'].map((text) => ['maxSteps', text]),
    ...['0', '-1', '1000001', '1,5', '0x1', 'Infinity', '$'].map((text) => ['maxCostUsd', text]),
  ])('%s is refused as %j', (name = '', text = '') => {
    expect(Object.keys(limitErrors({ [name]: text }))).toEqual([name])
    expect(readLimits({ [name]: text })).toEqual({})
  })
})

describe('what a task waits for', () => {
  const now = Date.parse('2026-01-01T12:00:00Z')
  const since = '2026-01-01T11:00:00Z'
  it.each([
    ['approval', {}, 'Waiting for approval'],
    ['budget', {}, 'Waiting for the budget'],
    ['slot', { position: 1 }, 'Waiting for a slot, 1st'],
    ['slot', { position: 5 }, 'Waiting for a slot, 5th'],
    ['slot', { position: 12 }, 'Waiting for a slot, 12th'],
    [
      'slot',
      { position: 22, message: '2 tasks of acme/web run' },
      'Waiting for a slot, 22nd: 2 tasks of acme/web run',
    ],
    ['slot', {}, 'Waiting for a slot'],
    ['runner', { message: 'no runner has gpu' }, 'No runner has gpu'],
    ['hold', {}, 'Waiting for its provider'],
  ] as const)('%s with %j reads %s', (reason, more, expected) => {
    expect(waitingText({ waitingFor: reason, waiting: { reason, since, ...more } }, now)).toBe(expected)
  })
})

describe('the table of keys', () => {
  const bound = Object.values(keyTable).map(({ key }) => key)

  it('gives each key one meaning', () => {
    expect(bound.filter((key, at) => bound.indexOf(key) !== at)).toEqual([])
  })

  it('leaves the first key of a sequence to it', () => {
    expect(bound).not.toContain('g')
  })

  it('lists each key under a place', () => {
    expect(places.flatMap(listedKeys)).toHaveLength(bound.length)
  })
})

describe('an old address', () => {
  it.each([
    ['/', { window: '7d' }, '/tasks/overview'],
    ['/', {}, undefined],
    ['/tasks', { window: '7d' }, undefined],
    ['/tasks/overview', {}, undefined],
    ['/queue', {}, '/tasks/queue'],
    ['/failures', {}, '/tasks/failures'],
    ['/bulk', {}, '/tasks/bulk'],
    ['/bulk/bulk_1', {}, '/tasks/bulk/bulk_1'],
    ['/webhooks', {}, '/settings/webhooks'],
    ['/webhooks/new', {}, '/settings/webhooks/new'],
    ['/webhooks/wh_1/verify', {}, '/settings/webhooks/wh_1/verify'],
    ['/devices', {}, '/settings/devices'],
    ['/security', {}, '/settings/security'],
    ['/security/audit', {}, '/settings/security/audit'],
    ['/audit', {}, '/settings/audit'],
    ['/health', {}, '/settings/health'],
    ['/tasks', {}, undefined],
    ['/tasks/queue', {}, undefined],
    ['/settings/health', {}, undefined],
    ['/healthy', {}, undefined],
    ['//queue', {}, undefined],
  ])('%s with %j leads to %s', (path, search, expected) => {
    expect(newPath(path, search)).toBe(expected)
  })
})

describe('a link', () => {
  it.each([
    ['https://example.com/1', 'https://example.com/1'],
    ['http://example.com', 'http://example.com/'],
    ['javascript:alert(1)', undefined],
    [' JaVaScRiPt:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['//example.com', undefined],
    ['no', undefined],
    [undefined, undefined],
  ])('%j may be followed as %j', (url, href) => {
    expect(safeLink(url)).toBe(href)
  })
})

describe('a bulk retry in words', () => {
  const job = (over: Partial<BulkSummary>): BulkSummary => ({
    id: 'bulk_1',
    target: 'dlq',
    action: 'retry',
    status: 'completed',
    total: 4,
    done: 4,
    failed: 0,
    createdBy: 'user_1',
    createdAt: '2026-01-01T00:00:00.000Z',
    ...over,
  })
  it.each<[Partial<BulkSummary>, string, ReturnType<typeof bulkCounts>]>([
    [{ results: { completed: 4, failed: 0, running: 0 } }, '4 completed', { ended: 4, faulty: 0, good: 4 }],
    [
      { results: { completed: 0, failed: 4, running: 0 } },
      '0 completed, 4 failed again',
      { ended: 4, faulty: 4, good: 0 },
    ],
    [
      { results: { completed: 2, failed: 1, running: 0, cancelled: 1 } },
      '2 completed, 1 failed again, 1 cancelled',
      { ended: 4, faulty: 2, good: 2 },
    ],
    [
      { status: 'running', done: 3, failed: 0, results: { completed: 1, failed: 0, running: 2 } },
      '3 of 4 retried, 1 completed, 2 still running',
      { ended: 1, faulty: 0, good: 1 },
    ],
    [
      { done: 3, failed: 1, results: { completed: 3, failed: 0, running: 0 } },
      '3 of 4 retried, 3 completed',
      { ended: 4, faulty: 1, good: 3 },
    ],
    [
      { status: 'cancelled', results: { completed: 1, failed: 1, running: 2 } },
      'Cancelled: 4 of 4 retried, 1 completed, 1 failed again, 2 still running',
      { ended: 2, faulty: 1, good: 1 },
    ],
    [{ action: 'discard', done: 3, failed: 1 }, '3 of 4 discarded', { ended: 4, faulty: 1, good: 3 }],
  ])('of %j is %s', (over, words, counts) => {
    expect([bulkText(job(over)), bulkCounts(job(over))]).toEqual([words, counts])
  })
})

describe('many at once', () => {
  it('are all done, few at a time, and those that fail are named', async () => {
    let running = 0
    let most = 0
    const act = async (id: string) => {
      running += 1
      most = Math.max(most, running)
      await new Promise(setImmediate)
      running -= 1
      if (id === '3') throw new Error('not this one')
    }
    const reports: Progress[] = []
    await inBulk(['1', '2', '3', '4', '5', '6'], act, (progress) => reports.push(progress))
    expect(most).toBe(4)
    expect(reports.map(({ done }) => done)).toEqual([1, 2, 3, 4, 5, 6])
    expect(reports.at(-1)?.failures).toEqual([{ id: '3', reason: new Error('not this one') }])
  })

  it('are left alone when it is stopped', async () => {
    const stop = new AbortController()
    const done: string[] = []
    const act = async (id: string) => {
      done.push(id)
      stop.abort()
    }
    await inBulk(['1', '2', '3', '4', '5', '6'], act, () => undefined, stop.signal)
    expect(done).toEqual(['1'])
  })
})

describe('the pace of asking again', () => {
  const answered = (status: number, headers = {}) =>
    new ApiError({ status, headers: new Headers(headers) }, undefined)

  it.each([
    ['an answer', null, 1_000],
    ['no answer', new TypeError('Failed to fetch'), 1_000],
    ['a failure', answered(500), 1_000],
    ['a refusal', answered(404), false],
    ['a request to wait', answered(429, { 'retry-after': '30' }), 30_000],
    ['a request to wait for less than that', answered(429, { 'retry-after': '0' }), 1_000],
    ['a request to wait, not for how long', answered(429), EVERY_MS.calm],
  ])('after %s', (_, error, pace) => {
    expect(intervalAfter(error, 1_000)).toBe(pace)
    expect(intervalAfter(error, false)).toBe(false)
  })

  const end = periodEnd(300_000, 1_000_000)
  it.each([
    ['is asked for anew once its last part is over', false, null, end, 201_000],
    ['is asked for soon where that has come by the clock of the service', false, null, 900_000, 1_000],
    ['is polled where nothing says that it changes', 10_000, null, end, 10_000],
    ['is not asked for again after a refusal', false, answered(404), end, false],
    ['that has no end is not', false, null, undefined, false],
  ] as const)('the answer about a window that ends now %s', (_what, pace, error, at, expected) => {
    expect(intervalUntil(pace, error, at, 1_000_000)).toBe(expected)
  })
})

describe('the arguments of a call', () => {
  const agents = (input: unknown, paths: string[] = []) =>
    shownArguments({ title: 'Write hello.txt', paths, command: [], input })
  it.each([
    [agents({ file_path: '/w/hello.txt', content: 'hello\n' }, ['/w/hello.txt']), ['file_path', 'content']],
    [agents({ content: 'x' }, ['/w/other.txt']), ['paths', 'content']],
    // Nothing is left out of what is not known in full.
    [agents({}), ['title', 'paths', 'command', 'input']],
    [shownArguments({ path: 'a', input: { b: 1 } }), ['path', 'input']],
    [shownArguments(['a']), ['given']],
  ])('are shown by their names: %j', (shown, names) => {
    expect(Object.keys(shown)).toEqual(names)
  })
})
