import { createServer, type ServerResponse } from 'node:http'
import { PassThrough, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from '@jest/globals'
import { main } from '../../lib/cli/main.ts'
import type { Cost } from '../../lib/core/cost.ts'
import type { TaskEvent } from '../../lib/tasks/schema.ts'
import { onLoopback } from '../../offline/loopback.ts'
import { commandLine } from './command-line.ts'

const ID = 'task_1'
const OUTPUT = 'All is done.\n\nSee the note.'

const secondTime = (second: number) => Date.parse('2026-01-01T00:00:00Z') + second * 1_000

type Logged = Pick<TaskEvent, 'id' | 'taskId' | 'type' | 'timestamp' | 'attempt' | 'message'> & {
  metadata?: object
}

/** An event of the log; its id sorts by its time. */
const logged = (second: number, type: TaskEvent['type'], message?: string): Logged => ({
  id: `evt_${String(second).padStart(3, '0')}`,
  taskId: ID,
  type,
  timestamp: new Date(secondTime(second)).toISOString(),
  attempt: 1,
  ...(message === undefined ? {} : { message }),
})
const happens = (second: number, type: string, data: object = {}) => ({
  type,
  data,
  timestamp: secondTime(second),
})

type Said = ReturnType<typeof happens>
/** What a service has after each read of the log: the whole log, and what its session has said in addition. */
type Stage = {
  /** Whether the task has ended; by default, when its log ends with its completion. */
  readonly isOver?: boolean
  readonly log: readonly Logged[]
  readonly cost?: Cost
  readonly session?: readonly Said[]
  /** What the session says once the reader waits for its next read. */
  readonly later?: Said
  /** Whether the stream of the session breaks off then. */
  readonly breaksOff?: boolean
}

/** By then a reader has taken in the answer of its read. */
const IDLE_MS = 50

/** A service with one task, which goes on by one stage each time that its log is read. */
const openService = async (stages: readonly [Stage, ...Stage[]]) => {
  let at = -1
  const stage = () => stages[Math.min(Math.max(at, 0), stages.length - 1)] as Stage
  const hasEnded = () => stage().isOver ?? stage().log.at(-1)?.type === 'completed'
  const task = () => ({
    id: ID,
    status: hasEnded() ? 'completed' : 'in_progress',
    ...(hasEnded() ? { result: { output: OUTPUT }, cost: stage().cost } : {}),
  })
  const places: string[] = []
  let reader: ServerResponse | undefined
  const said: Said[] = []
  const saidAfter: number[] = []
  const send = (after: number) => {
    for (const [index, event] of said.entries())
      if (index >= after) reader?.write(`id: ${index + 1}\ndata: ${JSON.stringify(event)}\n\n`)
  }
  const say = (events: readonly Said[] = []) => send(said.push(...events) - events.length)
  const logAfter = (after: string) => {
    at += 1
    const { session, later, breaksOff } = stage()
    say(session)
    if (later)
      setTimeout(() => {
        saidAfter.push(places.length)
        say([later])
      }, IDLE_MS)
    if (breaksOff) reader?.destroy()
    places.push(after)
    const events = stage().log.filter(({ id }) => id > after)
    return { taskId: ID, events, count: events.length }
  }
  const sessions = () => {
    const found = said.length === 0 ? [] : [{ id: 'sess_1' }]
    return { sessions: found, total: found.length, count: found.length, limit: 50 }
  }
  const answers: Readonly<Record<string, (after: string) => object>> = {
    '/api/tasks': () => ({ message: 'Task created', task: task() }),
    [`/api/tasks/${ID}`]: () => ({ task: task() }),
    [`/api/tasks/${ID}/events`]: logAfter,
    '/api/chat/sessions': sessions,
  }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://service')
    const after = searchParams.get('after') ?? ''
    if (pathname === '/api/chat/sessions/sess_1/events') {
      reader = response.writeHead(200, { 'content-type': 'text/event-stream' })
      return send(Number(after))
    }
    const answer = answers[pathname]?.(after)
    const json = JSON.stringify(answer ?? { error: 'There is no such route', code: 'route_not_found' })
    return response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' }).end(json)
  })
  const { url, stop } = await onLoopback(server)
  return { url, places, saidAfter, [Symbol.dispose]: stop }
}

/** Runs a command in this process. */
const runIn = async (stdout: Writable, url: string, ...args: string[]) => {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()]
  const env = { AGENT_TASKS_URL: url, HOME: '/nonexistent' }
  const code = await main({ args, env, streams: { stdin, stdout, stderr } })
  return { code, stderr: await text(stderr.end()) }
}

const runHere = async (url: string, ...args: string[]) => {
  const stdout = new PassThrough()
  const ended = await runIn(stdout, url, ...args)
  return { ...ended, stdout: await text(stdout.end()) }
}

/** The lines of a log without their times and columns. */
const linesIn = (log: string) =>
  [...log.matchAll(/^\d\d:\d\d:\d\d {2}(\w+) *(.*)$/gm)].map(([, kind, told]) => `${kind} ${told}`.trim())

const begun = [logged(0, 'created'), logged(1, 'started')]
const prepared = [
  ...begun,
  logged(2, 'progress', 'Preparing an empty workspace'),
  logged(4, 'progress', 'Step 1 of 25'),
  logged(6, 'progress', 'list_files .'),
]
const words = (second: number, content: string) => happens(second, 'content', { text: content })
const firstStep = [
  happens(3, 'session:start'),
  happens(4, 'step:start', { step: 1 }),
  words(5, 'I look\n'),
  happens(6, 'tool:call', { name: 'list_files', title: 'list_files docs', arguments: {} }),
  happens(6, 'tool:result', { result: { success: false, content: 'No such folder' } }),
  happens(6, 'error', { code: 'TOOL_ERROR', message: 'No such folder', toolCallId: 'a' }),
]
const recovered = [...prepared, logged(8, 'recovered')]
/** It comes a second after the newest event of the log, and began before that. */
const lastStep = [
  happens(7, 'step:start', { step: 2 }),
  words(9, 'I write\nAnd think'),
  happens(10, 'step:complete'),
  happens(10, 'step:start', { step: 3 }),
  words(11, OUTPUT),
  happens(12, 'step:complete'),
  happens(12, 'complete'),
]
const completed = [...recovered, logged(13, 'completed')]

const LINES = [
  'created',
  'started attempt 1',
  'progress Preparing an empty workspace',
  'step step 1',
  'says I look',
  'tool list_files docs',
  'tool failed: No such folder',
  'step step 2',
  'recovered',
  'says I write',
  'says And think',
  'step step 3',
]

// Each reads the log of a service of its own every second.
describe('a task that is followed', () => {
  const stages: [Stage, Stage, Stage, Stage] = [
    { log: begun },
    { log: prepared, session: firstStep },
    { log: recovered },
    { log: completed, session: lastStep },
  ]

  it.concurrent('is told by run in the order of time, its output once', async () => {
    using service = await openService(stages)
    const { stderr, ...printed } = await runHere(service.url, 'run', 'x')
    expect(linesIn(stderr)).toEqual([...LINES, 'completed'])
    expect(printed).toEqual({ code: 0, stdout: `${OUTPUT}\n` })
  })

  it.concurrent.each<
    [what: string, attempts: object[], cost: Cost, lines: string[], total: string | undefined]
  >([
    [
      'known',
      [
        { usd: 0.12, source: 'price' },
        { usd: 0.3, source: 'unknown' },
      ],
      { usd: 0.42, source: 'unknown' },
      ['recovered ($0.12)', 'completed ($0.30+)'],
      'Cost: $0.42+',
    ],
    [
      'unknown',
      [{ usd: null, source: 'unknown' }, {}],
      { usd: null, source: 'unknown' },
      ['recovered', 'completed'],
      undefined,
    ],
  ])('has a cost that is %s', async (_what, [first, second], cost, lines, total) => {
    const log = [
      ...begun,
      { ...logged(2, 'recovered'), metadata: { cost: first } },
      { ...logged(3, 'completed'), metadata: { cost: second } },
    ]
    using service = await openService([{ log, cost }])
    const { stderr } = await runHere(service.url, 'run', 'x')
    expect(linesIn(stderr).slice(-2)).toEqual(lines)
    expect(/^Cost:.*$/m.exec(stderr)?.[0]).toBe(total)
  })

  it.concurrent('is told by logs -f with the words that are its output', async () => {
    using service = await openService(stages)
    const { stdout } = await runHere(service.url, 'logs', '-f', ID)
    expect(linesIn(stdout)).toEqual([...LINES, 'says All is done.', 'says See the note.', 'completed'])
  })

  it.concurrent('is told by logs -f what its session says after one more read of the log, which may have what was before', async () => {
    const log = [...begun, logged(4, 'recovered'), logged(6, 'recovered'), logged(8, 'recovered')]
    using service = await openService([
      { log: begun },
      { log: begun, session: [happens(3, 'session:start')] },
      { log: begun, later: words(5, 'One\n') },
      { log: log.slice(0, 3), later: words(7, 'Two\n') },
      { log: log.slice(0, 4), later: words(9, 'Three\n') },
      { log },
      { log: [...log, logged(11, 'completed')], session: [happens(10, 'complete')] },
    ])
    const { saidAfter, places } = service
    const printed: { line: string; reads: number }[] = []
    const stdout = new Writable({
      write: (text, _encoding, done) => {
        for (const line of linesIn(String(text))) printed.push({ line, reads: places.length })
        done()
      },
    })
    await runIn(stdout, service.url, 'logs', '-f', ID)
    expect(printed.map(({ line }) => line)).toEqual([
      ...['created', 'started attempt 1', 'recovered', 'says One', 'recovered', 'says Two', 'recovered'],
      ...['says Three', 'completed'],
    ])
    const spoken = printed.filter(({ line }) => line.startsWith('says'))
    const reads = spoken.map((one, index) => one.reads - (saidAfter[index] ?? 0))
    // Where the process stands still for a second, a read begins before the words have come.
    expect(Math.min(...reads)).toBe(1)
  })

  it.concurrent('is over where it was retried as a new task in the moment of its end, and goes on where it was queued again', async () => {
    const retried = (second: number, metadata: object) => ({
      ...logged(second, 'retried', 'by ann'),
      metadata,
    })
    const redriven = [...begun, logged(2, 'failed', 'Lost'), retried(3, {})]
    using service = await openService([
      { log: begun },
      { log: redriven },
      { log: [...redriven, logged(4, 'started')] },
      {
        log: [
          ...redriven,
          logged(4, 'started'),
          logged(6, 'failed', 'Lost'),
          retried(7, { code: 'run_as_new' }),
        ],
        isOver: true,
      },
    ])
    const { stdout } = await runHere(service.url, 'logs', '-f', ID)
    expect(linesIn(stdout).slice(-2)).toEqual([
      expect.stringMatching(/^failed/),
      expect.stringMatching(/^retried/),
    ])
  })

  it.concurrent('is told to its end where the stream of its session broke off', async () => {
    const [first, second, , last] = stages
    using service = await openService([first, second, { log: recovered, breaksOff: true }, last])
    // As a process: errors of fetch are no instances of the classes that a test has.
    const cli = commandLine({ AGENT_TASKS_URL: service.url, HOME: '/nonexistent' })
    const { stdout } = await cli.run('logs', '-f', ID)
    expect(linesIn(stdout)).toEqual([...LINES, 'says All is done.', 'says See the note.', 'completed'])
  })

  it.concurrent('is read on from the newest event, and once more at its end for events that were stored late', async () => {
    const early = [logged(0, 'created'), logged(100, 'started')]
    const late = logged(200, 'progress', 'stored late')
    using service = await openService([
      { log: early },
      { log: [...early, logged(210, 'progress', 'one')] },
      { log: [...early, late, logged(210, 'progress', 'one'), logged(220, 'progress', 'two')] },
      {
        log: [
          ...[...early, late, logged(210, 'progress', 'one'), logged(220, 'progress', 'two')],
          logged(230, 'completed'),
        ],
      },
    ])
    const { stdout } = await runHere(service.url, 'logs', '-f', ID)
    expect(linesIn(stdout).toSorted()).toEqual([
      ...['completed', 'created', 'progress one', 'progress stored late', 'progress two'],
      'started attempt 1',
    ])
    expect(service.places).toEqual(['', 'evt_100', 'evt_210', 'evt_220', 'evt_100'])
  })
})
