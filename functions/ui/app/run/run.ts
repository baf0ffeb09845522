import { endsSession } from '../../../../lib/core/session-end.ts'

/** An event of an agent session, as its stream has it. */
export type RunEvent = {
  readonly id: string
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
  readonly timestamp: number
}

/** `waiting` is for the approval of a person; `stopped` had no result when its run ended. */
export type CallState = 'running' | 'waiting' | 'success' | 'error' | 'stopped'
export type Call = {
  readonly kind: 'call'
  readonly key: string
  readonly callId: string
  readonly name: string
  readonly title: string
  readonly arguments: unknown
  readonly state: CallState
  readonly result?: string
  /** What the policy made of it: `denied`, `blocked`, … */
  readonly decision?: string
  /** Epoch milliseconds by the clock of the service. */
  readonly startedAt: number
  readonly tookMs?: number
}
export type Words = {
  readonly kind: 'text' | 'thinking'
  readonly key: string
  readonly text: string
  readonly isOpen: boolean
}
export type Part = Call | Words

export type Step = {
  readonly kind: 'step'
  readonly key: string
  readonly number: number
  readonly parts: readonly Part[]
  readonly startedAt: number
  readonly tookMs?: number
}
/** Something that happened between steps. */
export type Note = {
  readonly kind: 'note'
  readonly key: string
  readonly tone: 'plain' | 'bad'
  readonly text: string
}

export type RunEnd =
  | {
      readonly kind: 'complete'
      readonly finishReason: string
      readonly inputTokens: number
      readonly outputTokens: number
      readonly fallbackFrom?: string
      /** What the service has to say of the answer, such as files that it did not store. */
      readonly notice?: string
    }
  | { readonly kind: 'error'; readonly code: string; readonly message: string }

/** All that is known of an agent session from its events. */
export type Run = {
  readonly message?: { readonly id: string; readonly content: string; readonly isCompacted: boolean }
  readonly model?: string
  readonly provider?: string
  readonly attempt?: number
  readonly maxSteps?: number
  readonly maxBudget?: number
  /** Tokens of this attempt. */
  readonly usedTokens: number
  readonly isWaiting: boolean
  readonly entries: readonly (Step | Note)[]
  readonly summary?: string
  readonly end?: RunEnd
  /** Steps and tokens of this attempt before it waited: those of what follows count from 0. */
  readonly before: { readonly steps: number; readonly tokens: number }
}

export const emptyRun: Run = {
  usedTokens: 0,
  isWaiting: false,
  entries: [],
  before: { steps: 0, tokens: 0 },
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : '')
const asNumber = (value: unknown): number => (typeof value === 'number' ? value : 0)
const given = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined || value === null ? {} : { [name]: value }) as { [N in Name]?: NonNullable<Value> }

export const isStep = (entry: Step | Note): entry is Step => entry.kind === 'step'
export const runSteps = ({ entries }: Run): readonly Step[] => entries.filter(isStep)
export const runCalls = (run: Run): readonly Call[] =>
  runSteps(run).flatMap(({ parts }) => parts.filter((part) => part.kind === 'call'))

/** The same run, its last step changed; the first step where there is none yet. */
const inLastStep = (run: Run, event: RunEvent, change: (step: Step) => Step): Run => {
  const at = run.entries.findLastIndex(isStep)
  const last = run.entries[at]
  if (last === undefined || !isStep(last)) {
    const first = { kind: 'step', key: event.id, number: 1, parts: [], startedAt: event.timestamp } as const
    return { ...run, entries: [...run.entries, change(first)] }
  }
  return { ...run, entries: run.entries.with(at, change(last)) }
}

/** The parts without open words, which only the last one can be. */
const closed = (parts: readonly Part[]): readonly Part[] => {
  const last = parts.at(-1)
  return last && last.kind !== 'call' && last.isOpen ? parts.with(-1, { ...last, isOpen: false }) : parts
}

/** Words that follow words of their kind belong to them; anything else ends those. */
const say = (run: Run, event: RunEvent, kind: Words['kind']): Run => {
  const text = asText(event.data.text)
  return inLastStep(run, event, (step) => {
    const last = step.parts.at(-1)
    if (last?.kind === kind && last.isOpen)
      return { ...step, parts: step.parts.with(-1, { ...last, text: last.text + text }) }
    return { ...step, parts: [...closed(step.parts), { kind, key: event.id, text, isOpen: true }] }
  })
}

const endWords = (run: Run, event: RunEvent): Run =>
  run.entries.some(isStep) ? inLastStep(run, event, (step) => ({ ...step, parts: closed(step.parts) })) : run

/** A step of which no call is changed stays the same: it is not drawn again. */
const withCalls = (run: Run, change: (call: Call) => Call): Run => ({
  ...run,
  entries: run.entries.map((entry) => {
    if (!isStep(entry)) return entry
    const parts = entry.parts.map((part) => (part.kind === 'call' ? change(part) : part))
    return parts.some((part, at) => part !== entry.parts[at]) ? { ...entry, parts } : entry
  }),
})

/** The run with the last call that matches changed; undefined without one. A run may have thousands of steps. */
const withLastCall = (
  run: Run,
  matches: (call: Call) => boolean,
  change: (call: Call) => Call,
): Run | undefined => {
  const isMeant = (part: Part): part is Call => part.kind === 'call' && matches(part)
  const at = run.entries.findLastIndex((entry) => isStep(entry) && entry.parts.some(isMeant))
  const step = run.entries[at]
  if (step === undefined || !isStep(step)) return undefined
  const partAt = step.parts.findLastIndex(isMeant)
  const parts = step.parts.with(partAt, change(step.parts[partAt] as Call))
  return { ...run, entries: run.entries.with(at, { ...step, parts }) }
}

const unanswered = (state: CallState) => (call: Call) =>
  call.state === 'running' || (call.state === 'waiting' && state === 'stopped') ? { ...call, state } : call

const note = (run: Run, event: RunEvent, tone: Note['tone'], text: string): Run => ({
  ...run,
  entries: [...run.entries, { kind: 'note', key: event.id, tone, text }],
})

/** When the span of an event began: the event itself is stored a moment later. */
const eventStart = ({ data, timestamp }: RunEvent): number => {
  const at = Date.parse(asText(data.startedAt))
  return Number.isNaN(at) ? timestamp : at
}

const startedCall = (event: RunEvent): Call => {
  const { toolCallId, name, title, spanId } = event.data
  return {
    kind: 'call',
    key: asText(spanId) || event.id,
    callId: asText(toolCallId),
    name: asText(name),
    title: asText(title) || asText(name),
    arguments: event.data.arguments,
    state: 'running',
    startedAt: eventStart(event),
  }
}

/** A call that waited is made in its own place; its next step comes after that. */
const call = (run: Run, event: RunEvent): Run => {
  const made = startedCall(event)
  const resumed = withLastCall(
    run,
    ({ state, callId }) => state === 'waiting' && callId === made.callId,
    ({ key }) => ({ ...made, key }),
  )
  return resumed ?? inLastStep(run, event, (step) => ({ ...step, parts: [...closed(step.parts), made] }))
}

const spanMs = ({ startedAt, endedAt }: RunEvent['data']) => {
  const ms = Date.parse(asText(endedAt)) - Date.parse(asText(startedAt))
  return Number.isNaN(ms) ? undefined : ms
}

const result = (run: Run, event: RunEvent): Run => {
  const toolResult = (event.data.result ?? {}) as { success?: unknown; content?: unknown }
  const callId = asText(event.data.toolCallId)
  const answered = withLastCall(
    run,
    (one) => one.callId === callId && one.state === 'running',
    (one) => ({
      ...one,
      state: toolResult.success === false ? 'error' : 'success',
      result: asText(toolResult.content),
      ...given('decision', asText(event.data.decision) || undefined),
      ...given('tookMs', spanMs(event.data)),
    }),
  )
  return answered ?? run
}

/** A run of a task begins anew with each attempt, and goes on in the same one after a decision. */
const start = (run: Run, event: RunEvent): Run => {
  const { model, provider, maxSteps, maxBudget } = event.data
  const attempt = event.data.attempt as number | undefined
  const facts = {
    ...given('model', asText(model) || undefined),
    ...given('provider', asText(provider) || undefined),
    ...given('maxSteps', maxSteps as number | undefined),
    ...given('maxBudget', maxBudget as number | undefined),
    ...given('attempt', attempt),
    isWaiting: false,
  }
  const { end: _, summary: _s, ...goesOn } = run
  if (run.attempt === undefined || run.attempt === attempt) {
    const steps = runSteps(run).at(-1)?.number ?? 0
    return { ...goesOn, ...facts, before: { steps, tokens: run.usedTokens } }
  }
  const next = { ...goesOn, ...facts, usedTokens: 0, before: emptyRun.before }
  return note(withCalls(next, unanswered('stopped')), event, 'plain', `Attempt ${attempt}`)
}

const stepStart = (run: Run, event: RunEvent): Run => {
  const { step, maxSteps, spanId } = event.data
  const number = run.before.steps + asNumber(step)
  const next: Step = {
    kind: 'step',
    key: asText(spanId) || event.id,
    number,
    parts: [],
    startedAt: eventStart(event),
  }
  return {
    ...endWords(run, event),
    maxSteps: run.before.steps + asNumber(maxSteps),
    entries: [...endWords(run, event).entries, next],
  }
}

const stepComplete = (run: Run, event: RunEvent): Run => {
  const tookMs = spanMs(event.data)
  const done = inLastStep(endWords(run, event), event, (step) => ({ ...step, ...given('tookMs', tookMs) }))
  return { ...done, usedTokens: run.before.tokens + asNumber(event.data.usedTokens) }
}

const complete = (run: Run, event: RunEvent): Run => {
  const { totalTokens, inputTokens, outputTokens, finishReason, model, provider } = event.data
  const end: RunEnd = {
    kind: 'complete',
    finishReason: asText(finishReason),
    inputTokens: asNumber(inputTokens),
    outputTokens: asNumber(outputTokens),
    ...given('fallbackFrom', asText(event.data.fallbackFrom) || undefined),
    ...given('notice', asText(event.data.notice) || undefined),
  }
  const facts = {
    ...given('model', asText(model) || undefined),
    ...given('provider', asText(provider) || undefined),
  }
  return ended(run, event, { ...facts, usedTokens: asNumber(totalTokens) || run.usedTokens, end })
}

/** A run of which nothing more comes. One that was cut off has calls and a wait that no event has ended. */
export const settled = (run: Run): Run => ({ ...withCalls(run, unanswered('stopped')), isWaiting: false })

const ended = (run: Run, event: RunEvent, facts: Partial<Run>): Run => ({
  ...settled(endWords(run, event)),
  ...facts,
})

const failure = (run: Run, event: RunEvent): Run =>
  ended(run, event, {
    end: { kind: 'error', code: asText(event.data.code), message: asText(event.data.message) },
  })

/** What each type of event changes; types that are not known change nothing. */
const changes: Readonly<Record<string, (run: Run, event: RunEvent) => Run>> = {
  user_message: (run, { data }) => ({
    ...run,
    message: {
      id: asText(data.id),
      content: asText(data.content),
      isCompacted: data.compactionApplied === true,
    },
  }),
  'session:start': start,
  'step:start': stepStart,
  'step:complete': stepComplete,
  'thinking:update': (run, event) => say(run, event, 'thinking'),
  'thinking:end': endWords,
  content: (run, event) => say(run, event, 'text'),
  'tool:call': call,
  'tool:result': result,
  'approval:pending': (run, event) => ({
    ...withCalls(endWords(run, event), unanswered('waiting')),
    isWaiting: true,
  }),
  'attempt:failed': (run, event) =>
    note(
      withCalls(endWords(run, event), unanswered('stopped')),
      event,
      'bad',
      `Attempt ${asNumber(event.data.attempt)} failed: ${asText(event.data.message)}`,
    ),
  summary: (run, { data }) => ({ ...run, summary: asText(data.summary) }),
  complete,
  // The result of a tool that failed is an event of its own, and the run goes on.
  error: (run, event) => (endsSession(event) ? failure(run, event) : run),
}

/** What is known after one more event. */
export const after = (run: Run, event: RunEvent): Run => changes[event.type]?.(run, event) ?? run

/** Pieces of words: stored, several of them are one event under the id of the last. */
const JOINED: ReadonlySet<string> = new Set(['content', 'thinking:update'])

/** How far a reader is, and the last place that it can go on from without hearing words twice. */
export type Progress = { readonly run: Run; readonly mark: { readonly id: string; readonly run: Run } }
export const beginning: Progress = { run: emptyRun, mark: { id: '', run: emptyRun } }

export const advanced = (progress: Progress, events: readonly RunEvent[]): Progress =>
  events.reduce(({ run, mark }, event) => {
    const next = after(run, event)
    return { run: next, mark: JOINED.has(event.type) || event.id === '' ? mark : { id: event.id, run: next } }
  }, progress)

/** As it was at the mark: what comes after it is taken again. */
export const rewound = ({ mark }: Progress): Progress => ({ run: mark.run, mark })
