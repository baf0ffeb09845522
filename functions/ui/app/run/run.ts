import { isNotDecided } from '../../../../lib/core/not-decided.ts'
import { endsSession } from '../../../../lib/core/session-end.ts'
import { withoutWorkspace } from '../components/workspace-path.ts'

export type RunEvent = {
  readonly id: string
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
  readonly timestamp: number
}

/** `waiting`: for approval. `expired`: its approval was not decided in time. `stopped`: no result when the run ended. */
export type CallState = 'running' | 'waiting' | 'success' | 'error' | 'expired' | 'stopped'
export type Call = {
  readonly kind: 'call'
  readonly key: string
  readonly callId: string
  readonly name: string
  /** What a call of an agent program does, as the Agent Client Protocol names it: `read`, `execute`, … */
  readonly toolKind?: string
  readonly title: string
  readonly arguments: unknown
  readonly state: CallState
  readonly result?: string
  /** The policy decision: `denied`, `blocked`, … */
  readonly decision?: string
  /** Epoch milliseconds, server time. */
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
export type Note = {
  readonly kind: 'note'
  readonly key: string
  readonly tone: 'plain' | 'late' | 'bad'
  readonly text: string
}

export type RunEnd =
  | {
      readonly kind: 'complete'
      readonly finishReason: string
      readonly inputTokens: number
      readonly outputTokens: number
      readonly fallbackFrom?: string
      /** A notice of the service, such as files that were not stored. */
      readonly notice?: string
    }
  | { readonly kind: 'error'; readonly code: string; readonly message: string }

/** The state of an agent session, reduced from its events. */
export type Run = {
  readonly message?: { readonly id: string; readonly content: string; readonly isCompacted: boolean }
  readonly model?: string
  readonly provider?: string
  readonly attempt?: number
  readonly maxSteps?: number
  readonly maxBudget?: number
  readonly usedTokens: number
  readonly isWaiting: boolean
  /** The tools whose calls wait, as far as they are named. */
  readonly asked?: readonly string[]
  readonly entries: readonly (Step | Note)[]
  readonly summary?: string
  readonly end?: RunEnd
}

export const emptyRun: Run = { usedTokens: 0, isWaiting: false, entries: [] }

const asText = (value: unknown): string => (typeof value === 'string' ? value : '')
const asNumber = (value: unknown): number => (typeof value === 'number' ? value : 0)
const given = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined || value === null ? {} : { [name]: value }) as { [N in Name]?: NonNullable<Value> }

export const isStep = (entry: Step | Note): entry is Step => entry.kind === 'step'
export const runSteps = ({ entries }: Run): readonly Step[] => entries.filter(isStep)
export const runCalls = (run: Run): readonly Call[] =>
  runSteps(run).flatMap(({ parts }) => parts.filter((part) => part.kind === 'call'))

/** Changes the last step; creates the first one if there is none. */
const inLastStep = (run: Run, event: RunEvent, change: (step: Step) => Step): Run => {
  const at = run.entries.findLastIndex(isStep)
  const last = run.entries[at]
  if (last === undefined || !isStep(last)) {
    const first = { kind: 'step', key: event.id, number: 1, parts: [], startedAt: event.timestamp } as const
    return { ...run, entries: [...run.entries, change(first)] }
  }
  return { ...run, entries: run.entries.with(at, change(last)) }
}

/** Closes the last part, the only one that can be open. */
const closed = (parts: readonly Part[]): readonly Part[] => {
  const last = parts.at(-1)
  return last && last.kind !== 'call' && last.isOpen ? parts.with(-1, { ...last, isOpen: false }) : parts
}

/** Appends to an open part of the same kind, else opens a new one. */
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

/** Unchanged steps keep their identity, so they do not render again. */
const withCalls = (run: Run, change: (call: Call) => Call): Run => ({
  ...run,
  entries: run.entries.map((entry) => {
    if (!isStep(entry)) return entry
    const parts = entry.parts.map((part) => (part.kind === 'call' ? change(part) : part))
    return parts.some((part, at) => part !== entry.parts[at]) ? { ...entry, parts } : entry
  }),
})

/** Undefined without a match. Searches from the end: a run may have thousands of steps. */
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

/** A call without a result begins to wait, or its run ended. */
const unanswered = (state: 'waiting' | 'stopped') => (call: Call) =>
  call.state === 'running' || (call.state === 'waiting' && state === 'stopped') ? { ...call, state } : call

/** Where the call that waits is known, those beside it go on. */
const waiting = (run: Run, callId: string): Run =>
  withLastCall(run, (call) => call.callId === callId, unanswered('waiting')) ??
  withCalls(run, unanswered('waiting'))

const expired = (call: Call): Call => (call.state === 'waiting' ? { ...call, state: 'expired' } : call)

const note = (run: Run, event: RunEvent, tone: Note['tone'], text: string): Run => ({
  ...run,
  entries: [...run.entries, { kind: 'note', key: event.id, tone, text }],
})

/** The event itself is stored a moment later. */
const eventStart = ({ data, timestamp }: RunEvent): number => {
  const at = Date.parse(asText(data.startedAt))
  return Number.isNaN(at) ? timestamp : at
}

const startedCall = (event: RunEvent): Call => {
  const { toolCallId, name, kind, title, spanId } = event.data
  return {
    kind: 'call',
    key: asText(spanId) || event.id,
    callId: asText(toolCallId),
    name: asText(name),
    ...(typeof kind === 'string' && { toolKind: kind }),
    title: withoutWorkspace(asText(title)) || asText(name),
    arguments: event.data.arguments,
    state: 'running',
    startedAt: eventStart(event),
  }
}

/** A call that waited for approval keeps its place. */
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

type ToolResult = { success?: unknown; content?: unknown }

const resultState = ({ success, content }: ToolResult): CallState => {
  if (success !== false) return 'success'
  return isNotDecided(asText(content)) ? 'expired' : 'error'
}

const result = (run: Run, event: RunEvent): Run => {
  const toolResult = (event.data.result ?? {}) as ToolResult
  const callId = asText(event.data.toolCallId)
  const answered = withLastCall(
    run,
    // A program goes on with a call that waited, without saying so.
    (one) => one.callId === callId && (one.state === 'running' || one.state === 'waiting'),
    (one) => ({
      ...one,
      state: resultState(toolResult),
      result: asText(toolResult.content),
      ...given('decision', asText(event.data.decision) || undefined),
      ...given('tookMs', spanMs(event.data)),
    }),
  )
  return answered ?? run
}

/** Each attempt of a task starts anew; after a decision the same attempt continues. */
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
  if (run.attempt === undefined || run.attempt === attempt) return { ...goesOn, ...facts }
  const next = { ...goesOn, ...facts, usedTokens: 0 }
  return note(withCalls(next, unanswered('stopped')), event, 'plain', `Attempt ${attempt}`)
}

const stepStart = (run: Run, event: RunEvent): Run => {
  const { step, maxSteps, spanId } = event.data
  const next: Step = {
    kind: 'step',
    key: asText(spanId) || event.id,
    number: asNumber(step),
    parts: [],
    startedAt: eventStart(event),
  }
  return {
    ...endWords(run, event),
    maxSteps: asNumber(maxSteps),
    entries: [...endWords(run, event).entries, next],
  }
}

const stepComplete = (run: Run, event: RunEvent): Run => {
  const tookMs = spanMs(event.data)
  const done = inLastStep(endWords(run, event), event, (step) => ({ ...step, ...given('tookMs', tookMs) }))
  return { ...done, usedTokens: asNumber(event.data.usedTokens) }
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

/** The code of an error by which a task ends whose call was not decided in time. */
const isExpiry = (code: string): boolean => code.toLowerCase() === 'approval_expired'

/** A run that was cut off has calls and waits without an end event. `code`: of the error that its task ended with. */
export const settled = (run: Run, code = ''): Run => {
  const known = isExpiry(code) ? withCalls(run, expired) : run
  return { ...withCalls(known, unanswered('stopped')), isWaiting: false }
}

const ended = (run: Run, event: RunEvent, facts: Partial<Run>): Run => ({
  ...settled(endWords(run, event), asText(event.data.code)),
  ...facts,
})

/** A call that waits may have no event of its own yet. */
const withExpired = (run: Run, event: RunEvent): Run => {
  if (runCalls(run).some(({ state }) => state === 'waiting')) return run
  const { asked = [] } = run
  const late = asked.map((name, n): Note => {
    return { kind: 'note', key: `${event.id} ${n}`, tone: 'late', text: `${name}: expired, not run` }
  })
  return { ...run, entries: [...run.entries, ...late] }
}

const failure = (run: Run, event: RunEvent): Run => {
  const [code, message] = [asText(event.data.code), asText(event.data.message)]
  const told = isExpiry(code) ? withExpired(run, event) : run
  return ended(told, event, { end: { kind: 'error', code, message } })
}

/** Unknown types are ignored. */
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
    ...waiting(endWords(run, event), asText(event.data.toolCallId)),
    isWaiting: true,
    asked: [...(run.isWaiting ? (run.asked ?? []) : []), ...[asText(event.data.name)].filter(Boolean)],
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
  // A failed tool call has its own result event, and the run continues.
  error: (run, event) => (endsSession(event) ? failure(run, event) : run),
}

export const after = (run: Run, event: RunEvent): Run => changes[event.type]?.(run, event) ?? run

/** Stored, consecutive pieces are merged into one event with the id of the last. */
const JOINED: ReadonlySet<string> = new Set(['content', 'thinking:update'])

/** `mark` is the last position from which a resumed stream does not repeat words. */
export type Progress = { readonly run: Run; readonly mark: { readonly id: string; readonly run: Run } }
export const beginning: Progress = { run: emptyRun, mark: { id: '', run: emptyRun } }

export const advanced = (progress: Progress, events: readonly RunEvent[]): Progress =>
  events.reduce(({ run, mark }, event) => {
    const next = after(run, event)
    return { run: next, mark: JOINED.has(event.type) || event.id === '' ? mark : { id: event.id, run: next } }
  }, progress)

/** Back to the mark: later events are received again. */
export const rewound = ({ mark }: Progress): Progress => ({ run: mark.run, mark })
