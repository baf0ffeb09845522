import { describe, expect, it } from '@jest/globals'
import { withoutWorkspace } from '../../functions/ui/app/components/workspace-path.ts'
import type { ChatMessage } from '../../functions/ui/app/data/chat.ts'
import { lastCommands } from '../../functions/ui/app/run/commands.ts'
import {
  advanced,
  beginning,
  type Part,
  type Run,
  type RunEvent,
  rewound,
  settled,
} from '../../functions/ui/app/run/run.ts'
import { type Options, turnRequest } from '../../functions/ui/app/views/chat/draft.ts'
import { placed } from '../../functions/ui/app/views/chat/placed.ts'
import { taskSpans } from '../../functions/ui/app/views/task/spans.ts'
import { worksByAttempt } from '../../functions/ui/app/views/task/works.ts'
import { eventsIn } from '../../lib/api/server-sent-events.ts'
import type { TaskEvent } from '../../lib/tasks/schema.ts'

/** Ids in order: `0001-01`, `0001-02`. */
const sessionEvents = (...events: readonly (readonly [type: string, data?: object])[]): RunEvent[] =>
  events.map(([type, data = {}], n) => ({
    id: `0001-${String(n + 1).padStart(2, '0')}`,
    type,
    data: data as RunEvent['data'],
    timestamp: n,
  }))

const span = (spanId: string, fromMs = 0, toMs?: number) => ({
  spanId,
  startedAt: new Date(fromMs).toISOString(),
  ...(toMs === undefined ? {} : { endedAt: new Date(toMs).toISOString() }),
})
const start = (attempt?: number) =>
  ['session:start', { model: 'm', provider: 'p', ...(attempt ? { attempt } : {}) }] as const
const step = (number: number, maxSteps = 10) =>
  ['step:start', { step: number, maxSteps, ...span(`step_${number}`) }] as const
const stepped = (number: number, usedTokens: number) =>
  ['step:complete', { step: number, usedTokens, ...span('', 0, 1_500) }] as const
const label = (text: string) => ['content', { text }] as const
const thinks = (text: string) => ['thinking:update', { text }] as const
const call = (toolCallId: string, spanId = `span_${toolCallId}`) =>
  ['tool:call', { toolCallId, name: 'git', title: `git ${toolCallId}`, ...span(spanId) }] as const
const result = (toolCallId: string, content: string, success = true) =>
  [
    'tool:result',
    { toolCallId, result: { success, content }, decision: 'allowed', ...span('', 0, 40) },
  ] as const
const notice = 'Files of more than 64 MiB were not stored'
const complete = ['complete', { totalTokens: 90, finishReason: 'stop', notice }] as const

const partText = (part: Part) => {
  if (part.kind !== 'call') return `${part.kind} ${part.text}${part.isOpen ? '…' : ''}`
  return ['call', part.title, part.state, part.result, part.tookMs].filter((x) => x !== undefined).join(' ')
}

/** `1: text Hello…` */
const runText = (run: Run) =>
  run.entries.flatMap((entry) =>
    entry.kind === 'note'
      ? [`${entry.tone}: ${entry.text}`]
      : entry.parts.length === 0
        ? [`${entry.number}:`]
        : entry.parts.map((part) => `${entry.number}: ${partText(part)}`),
  )

const runAfter = (events: readonly RunEvent[]) => advanced(beginning, events).run

describe('what a run shows', () => {
  it.each([
    ['of which nothing is known', sessionEvents(), []],
    ['that has begun', sessionEvents(start(), step(1)), ['1:']],
    ['that speaks, piece by piece', sessionEvents(step(1), label('Hel'), label('lo')), ['1: text Hello…']],
    [
      'that thought before it spoke',
      sessionEvents(step(1), ['thinking:start'], thinks('Hm'), thinks('m'), ['thinking:end'], label('So')),
      ['1: thinking Hmm', '1: text So…'],
    ],
    [
      'that calls a tool',
      sessionEvents(step(1), label('Look'), call('a')),
      ['1: text Look', '1: call git a running'],
    ],
    [
      'whose calls were answered, well and not',
      sessionEvents(
        step(1),
        call('a'),
        result('a', 'clean'),
        call('b'),
        result('b', 'no', false),
        stepped(1, 9),
      ),
      ['1: call git a success clean 40', '1: call git b error no 40'],
    ],
    [
      'whose provider gives the calls of each step the same ids',
      sessionEvents(
        step(1),
        call('a', 's1'),
        result('a', 'one'),
        step(2),
        call('a', 's2'),
        result('a', 'two'),
      ),
      ['1: call git a success one 40', '2: call git a success two 40'],
    ],
    [
      'that waits for approval',
      sessionEvents(start(1), step(1), call('a'), stepped(1, 9), ['approval:pending', { message: '' }]),
      ['1: call git a waiting'],
    ],
    [
      'that goes on after a decision, where it was, with its steps counted on',
      sessionEvents(
        ...[start(1), step(1), call('a'), stepped(1, 9), ['approval:pending'] as const],
        ...[start(1), call('a', 'other'), result('a', 'done'), call('b'), result('b', 'too')],
        ...[step(2, 9), label('So')],
      ),
      ['1: call git a success done 40', '1: call git b success too 40', '2: text So…'],
    ],
    [
      'whose first attempt failed',
      sessionEvents(
        ...[start(1), step(1), call('a'), ['attempt:failed', { attempt: 1, message: 'Full' }] as const],
        ...[start(2), step(1), label('Again')],
      ),
      ['1: call git a stopped', 'bad: Attempt 1 failed: Full', 'plain: Attempt 2', '1: text Again…'],
    ],
    [
      'one of whose tools failed, which ends nothing',
      sessionEvents(
        ...[step(1), call('a'), result('a', 'Not there', false)],
        ...[['error', { code: 'TOOL_ERROR', message: 'Not there', toolCallId: 'a' }] as const, label('So')],
      ),
      ['1: call git a error Not there 40', '1: text So…'],
    ],
    [
      'that was stopped in the middle of a call',
      sessionEvents(step(1), call('a'), ['error', { code: 'CANCELLED', message: 'Stopped' }]),
      ['1: call git a stopped'],
    ],
    [
      'that was stopped while it waited',
      sessionEvents(step(1), call('a'), ['approval:pending'], ['error', { code: 'CANCELLED', message: '' }]),
      ['1: call git a stopped'],
    ],
    [
      'of a task whose call was not decided in time',
      sessionEvents(...[step(1), call('a'), ['approval:pending'] as const], [
        'error',
        { code: 'APPROVAL_EXPIRED', message: '' },
      ]),
      ['1: call git a expired'],
    ],
    [
      'of a task whose call was not decided in time, before the call had an event',
      sessionEvents(...[step(1), ['approval:pending', { name: 'git' }] as const], [
        'error',
        { code: 'APPROVAL_EXPIRED', message: '' },
      ]),
      ['1:', 'late: git: expired, not run'],
    ],
    [
      'of a conversation whose call was not decided in time',
      sessionEvents(step(1), call('a'), result('a', 'Denied: it was not decided in time', false)),
      ['1: call git a expired Denied: it was not decided in time 40'],
    ],
    ['of whose events the first are lost', sessionEvents(label('on')), ['1: text on…']],
    ['with events that are not known', sessionEvents(step(1), ['novelty', { text: 'x' }]), ['1:']],
    [
      'whose call and result were too long to be stored whole',
      sessionEvents(step(1), call('a'), [
        'tool:result',
        { toolCallId: 'a', truncated: true, ...span('', 0, 40) },
      ]),
      ['1: call git a success  40'],
    ],
  ])('%s', (_what, events, lines) => {
    expect(runText(runAfter(events))).toEqual(lines)
  })

  it('has the message that was asked, who answers, the tokens and the account', () => {
    const message = { id: 'msg_1', content: 'Do', compactionApplied: true }
    const begun = { model: 'm', provider: 'p', maxSteps: 10, maxBudget: 5_000 }
    const run = runAfter(
      sessionEvents(
        ...[['user_message', message] as const, ['session:start', begun] as const, step(1), stepped(1, 80)],
        ...[['summary', { summary: 'Done' }] as const, complete],
      ),
    )
    expect(run).toMatchObject({
      message: { id: 'msg_1', content: 'Do', isCompacted: true },
      model: 'm',
      provider: 'p',
      maxSteps: 10,
      maxBudget: 5_000,
      usedTokens: 90,
      summary: 'Done',
      isWaiting: false,
      end: { kind: 'complete', finishReason: 'stop', notice },
    })
  })

  it.each([
    ['of a step', sessionEvents(start(1), step(1), stepped(1, 30)), 30],
    [
      'before it waited and after',
      sessionEvents(
        start(1),
        step(1),
        stepped(1, 30),
        ['approval:pending'],
        start(1),
        step(2),
        stepped(2, 35),
      ),
      35,
    ],
    [
      'of this attempt alone',
      sessionEvents(start(1), step(1), stepped(1, 30), start(2), step(1), stepped(1, 5)),
      5,
    ],
  ])('counts the tokens %s', (_what, events, usedTokens) => {
    expect(runAfter(events).usedTokens).toBe(usedTokens)
  })
})

describe('the commands of a run', () => {
  const ran = (id: string, name: string, given: object, success = true, decision?: string) =>
    sessionEvents(
      step(1),
      ['tool:call', { toolCallId: id, name, title: `title ${id}`, arguments: given, ...span(id) }],
      ['tool:result', { toolCallId: id, result: { success, content: '' }, decision }],
    )
  const failed = (attempt: number) => sessionEvents(['attempt:failed', { attempt, message: 'gone' }])
  const npmTest = { command: 'npm', args: ['test'] }
  it.each([
    [
      'are the latest first',
      [ran('a', 'run_command', npmTest), ran('b', 'Bash', { command: 'ls -l' })],
      ['ls -l: success', 'npm test: success'],
    ],
    [
      'count as they ended last',
      [
        ran('a', 'run_command', npmTest, false, 'allowed'),
        ran('b', 'execute', { command: 'make' }),
        ran('c', 'run_command', npmTest),
      ],
      ['npm test: success', 'make: success'],
    ],
    [
      'are the script of a shell',
      [ran('a', 'execute', { command: ['/bin/bash', '-lc', 'npm test | tail'] }, false)],
      ['npm test | tail: error'],
    ],
    [
      'have the title of their call where they name no command',
      [ran('a', 'command_execution', {})],
      ['title a: success'],
    ],
    [
      'are those of the last attempt',
      [
        sessionEvents(start(1)),
        ran('a', 'Bash', { command: 'ls' }),
        failed(1),
        sessionEvents(start(2)),
        ran('b', 'Bash', { command: 'pwd' }),
      ],
      ['pwd: success'],
    ],
    [
      'are those of the attempt that failed until the next one begins',
      [ran('a', 'Bash', { command: 'ls' }), failed(1)],
      ['ls: success'],
    ],
    [
      'are none that were started again and have not ended',
      [ran('a', 'Bash', { command: 'ls' }), ran('b', 'Bash', { command: 'ls' }).slice(0, 2)],
      [],
    ],
    [
      'are none that were left running',
      [ran('a', 'Bash', { command: 'npm start', run_in_background: true })],
      [],
    ],
    [
      'are told apart by their words, without the folder of the workspace',
      [
        ran('a', 'run_command', { command: 'echo', args: ['a b'] }),
        ran('b', 'run_command', { command: 'echo', args: ['a', 'b'] }),
      ],
      ['echo a b: success', "echo 'a b': success"],
    ],
    [
      'are those too that waited for approval, and those that went on beside',
      [
        sessionEvents(
          step(1),
          ['tool:call', { toolCallId: 'a', name: 'execute', arguments: { command: 'rm' } }],
          ['tool:call', { toolCallId: 'b', name: 'execute', arguments: { command: 'ls' } }],
          ['approval:pending', { toolCallId: 'a', name: 'agent_execute' }],
          ['tool:result', { toolCallId: 'b', result: { success: true } }],
          ['tool:result', { toolCallId: 'a', result: { success: true }, decision: 'allowed' }],
        ),
      ],
      ['ls: success', 'rm: success'],
    ],
    [
      'are none that were denied, nor calls of another kind',
      [ran('a', 'run_command', npmTest, false, 'denied'), ran('b', 'write_file', { command: 'x' })],
      [],
    ],
    [
      'are told by the kind of their call before its name',
      [
        sessionEvents(
          step(1),
          ['tool:call', { toolCallId: 'a', name: 'exec_command', kind: 'execute', title: 'npm test' }],
          ['tool:result', { toolCallId: 'a', result: { success: true } }],
          ['tool:call', { toolCallId: 'b', name: 'Bash', kind: 'read', title: 'cat a.txt' }],
          ['tool:result', { toolCallId: 'b', result: { success: true } }],
        ),
      ],
      ['npm test: success'],
    ],
    ['are none that have not ended', [ran('a', 'Bash', { command: 'ls' }).slice(0, 2)], []],
  ])('%s', (_name, events, expected) => {
    const shown = lastCommands(runAfter(events.flat())).map(({ line, call }) => `${line}: ${call.state}`)
    expect(shown).toEqual(expected)
  })

  it('are none that the result names as denied', () => {
    const run = runAfter([...ran('a', 'execute', {}, false), ...ran('b', 'execute', {}, false)])
    const shown = (denied: unknown) => lastCommands(run, denied).map(({ line }) => line)
    expect(shown(['title a', 7])).toEqual(['title b'])
    expect(shown('title a')).toEqual(['title b', 'title a'])
  })
})

describe('where a run stands among the stored messages of its conversation', () => {
  const message = (id: string) =>
    ({ id, role: id.startsWith('u') ? 'user' : 'assistant' }) as unknown as ChatMessage
  const all = ['u1', 'a1', 'u2', 'a2', 'u3', 'a3'].map(message)
  const ofMessage = (id: string) => runAfter(sessionEvents(['user_message', { id, content: '' }]))

  it.each([
    ['in the place of its message and answer', all, ofMessage('u2'), false, 'u1 a1 | run | u3 a3'],
    ['at the end, while its answer is not stored', all.slice(0, 3), ofMessage('u2'), true, 'u1 a1 | run |'],
    ['at the end, before its message is read', all.slice(0, 2), ofMessage('u2'), true, 'u1 a1 | run |'],
    ['nowhere, further up than what is read', all.slice(4), ofMessage('u1'), false, 'u3 a3 | |'],
    ['nowhere, before it has said what it is of', all.slice(0, 2), runAfter([]), true, 'u1 a1 | |'],
  ])('%s', (_where, messages, run, isLive, expected) => {
    const { before, isShown, after } = placed(messages, run, isLive)
    const ids = (list: readonly ChatMessage[]) => list.map(({ id }) => id).join(' ')
    expect(`${ids(before)} |${isShown ? ' run |' : ' |'}${after.length > 0 ? ` ${ids(after)}` : ''}`).toBe(
      expected,
    )
  })
})

describe('a run of which nothing more comes', () => {
  it('has no call that runs or waits', () => {
    const run = runAfter(sessionEvents(start(1), step(1), call('a'), ['approval:pending']))
    expect(run.isWaiting).toBe(true)
    expect(settled(run).isWaiting).toBe(false)
    expect(runText(settled(run))).toEqual(['1: call git a stopped'])
  })
})

describe('a path of the machine that ran a call', () => {
  it.each([
    ['Read /srv/ws/task_01JA-1/work/src/a.ts', 'Read src/a.ts'],
    ['git `/root/.runner/workspaces/task_01JA-2/work` "/x/conv_01JB/work/b c"', 'git `.` "b c"'],
    ['cat /task_01JA-1/work/../../etc/passwd', 'cat ../../etc/passwd'],
    ['ls /srv/ws/task_01JA-1/home/.ssh /srv/work/a', 'ls /srv/ws/task_01JA-1/home/.ssh /srv/work/a'],
    [
      'ls "/my disk/ws/task_01JA-1/work/a" x/task_01JA-1/work/b',
      'ls "/my disk/ws/task_01JA-1/work/a" x/task_01JA-1/work/b',
    ],
  ])('is relative to the workspace, others stay: %s', (text, shown) => {
    expect(withoutWorkspace(text)).toBe(shown)
    const event = ['tool:call', { toolCallId: 'a', name: 'read', title: text, ...span('s') }] as const
    expect(runText(advanced(beginning, sessionEvents(start(), step(1), event)).run).join()).toContain(shown)
  })
})

describe('what is asked for with a message', () => {
  const chosen: Options = {
    mode: 'full',
    model: '',
    effort: 'low',
    showThinking: false,
    maxSteps: '',
    maxBudget: ' ',
  }
  const asked = { content: 'Do', securityMode: 'full', effort: 'low', showThinking: false }
  it.each([
    ['what was chosen alone', chosen, asked],
    [
      'the provider and the model, which may have strokes in its name',
      { ...chosen, model: 'openrouter/acme/big' },
      { ...asked, provider: 'openrouter', model: 'acme/big' },
    ],
    [
      'no mode, so that the default applies',
      { ...chosen, mode: undefined },
      { ...asked, securityMode: undefined },
    ],
    ['numbers', { ...chosen, maxSteps: '7', maxBudget: '5000' }, { ...asked, maxSteps: 7, maxBudget: 5_000 }],
  ])('is %s', (_what, given, request) => {
    expect(turnRequest('Do', given)).toEqual(request)
  })
})

describe('a reader who connects anew', () => {
  const events = sessionEvents(
    start(),
    step(1),
    label('one '),
    label('two '),
    call('a'),
    result('a', 'x'),
    step(2),
  )
  const words = sessionEvents(
    ...Array.from({ length: 7 }, () => label('')),
    label('three '),
    label('four '),
    label('five'),
  )
  const all = [...events, ...words.slice(7)]
  const fullRun = runAfter(all)
  /** Stored events: consecutive pieces of text are merged under the id of the last. */
  const stored = [
    ...all.slice(0, 2),
    { ...all[3], data: { text: 'one two ' } },
    ...all.slice(4, 7),
    { ...all[9], data: { text: 'three four five' } },
  ] as RunEvent[]

  it.each(all.map((_event, n) => [n]))('hears nothing twice and misses nothing after %i events', (heard) => {
    const there = rewound(advanced(beginning, all.slice(0, heard)))
    const rest = stored.filter(({ id }) => id > there.mark.id)
    expect(runText(advanced(there, rest).run)).toEqual(runText(fullRun))
  })
})

describe('a stream of server-sent events', () => {
  const byteStream = (...pieces: string[]) => new Blob(pieces).stream() as ReadableStream<Uint8Array>
  const piecewise = (text: string, size: number) => {
    const bytes = new TextEncoder().encode(text)
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
        controller.close()
      },
    })
  }
  const all = async (stream: ReadableStream<Uint8Array>) => {
    const events = []
    for await (const batch of eventsIn(stream)) events.push(...batch)
    return events
  }

  it.each([
    ['one', 'id: 1\ndata: {"a":1}\n\n', [{ id: '1', data: '{"a":1}' }]],
    ['of several lines', 'data: a\ndata: b\n\n', [{ id: '', data: 'a\nb' }]],
    ['without the space', 'id:1\ndata:x\n\n', [{ id: '1', data: 'x' }]],
    ['ended as on other systems', 'id: 1\r\ndata: x\r\n\r\n', [{ id: '1', data: 'x' }]],
    ['comments, which are none', ': still here\n\ndata: x\n\n', [{ id: '', data: 'x' }]],
    ['one that was cut off', 'data: x\n\ndata: y', [{ id: '', data: 'x' }]],
  ])('has %s', async (_what, text, events) => {
    expect(await all(byteStream(text))).toEqual(events)
  })

  it.each([1, 2, 3, 5, 7])('has the same when it comes in pieces of %i bytes', async (size) => {
    const text = 'id: 1\ndata: {"text":"é→🙂"}\n\n: still here\n\nid: 2\ndata: x\n\n'
    expect(await all(piecewise(text, size))).toEqual([
      { id: '1', data: '{"text":"é→🙂"}' },
      { id: '2', data: 'x' },
    ])
  })
})

describe('what was done within the attempts of a task', () => {
  const iso = (seconds: number) => new Date(seconds * 1_000).toISOString()
  const event = (type: TaskEvent['type'], seconds: number, attempt: number): TaskEvent => ({
    id: `event_${seconds}`,
    taskId: 'task_1',
    type,
    timestamp: iso(seconds),
    attempt,
  })
  const at = (spanId: string, from: number, to?: number) => ({
    spanId,
    startedAt: iso(from),
    ...(to === undefined ? {} : { endedAt: iso(to) }),
  })
  it('is what was reported before the first step and after the last, and the model and the tools of each, by the clock of the service; an attempt that is over holds nothing open', () => {
    const run = runAfter(
      sessionEvents(
        start(1),
        ['step:start', { step: 1, ...at('s1', 11) }],
        ['tool:call', { toolCallId: 'a', title: 'git status', ...at('c1', 14) }],
        ['tool:result', { toolCallId: 'a', result: { success: false }, ...at('c1', 14, 16) }],
        ['step:complete', { step: 1, ...at('s1', 11, 17) }],
        ['step:start', { step: 2, ...at('s2', 17) }],
        ['attempt:failed', { attempt: 1, message: '' }],
        start(2),
        ['step:start', { step: 1, ...at('s3', 31) }],
        ['tool:call', { toolCallId: 'b', title: 'ls', ...at('c2', 32) }],
        ['tool:result', { toolCallId: 'b', result: { success: true }, ...at('c2', 32, 33) }],
        ['step:complete', { step: 1, ...at('s3', 31, 35) }],
      ),
    )
    const says = (message: string, seconds: number) => ({ ...event('progress', seconds, 1), message })
    const events = [
      event('started', 5, 1),
      says('Cloning acme/shop', 6),
      says('Starting Claude Code', 9),
      says('Runs the tests', 15),
      event('recovered', 20, 1),
      event('started', 22, 2),
      says('Cloning again', 23),
      event('recovered', 25, 2),
      event('started', 30, 3),
      says('Within the step', 34),
      says('Collecting changes', 36),
      says('Pushing to main', 37),
      event('completed', 38, 3),
    ]
    const works = worksByAttempt(run, taskSpans(events, 40_000))
    const worksText = [...works].map(([{ attempt }, done]) => [
      attempt,
      ...done.map(({ name, from, to, state }) => `${name} ${from / 1_000}-${(to ?? 0) / 1_000} ${state}`),
    ])
    expect(worksText).toEqual([
      [
        1,
        'Cloning acme/shop 6-9 success',
        'Starting Claude Code 9-11 success',
        'Step 1: model 11-14 success',
        'git status 14-16 error',
        'Step 2: model 17-20 stopped',
      ],
      [2, 'Cloning again 23-25 stopped'],
      [
        3,
        'Step 1: model 31-32 success',
        'ls 32-33 success',
        'Collecting changes 36-37 success',
        'Pushing to main 37-38 success',
      ],
    ])
  })
})
