import type { ReportedAct } from '../fixtures/acp/reporting.ts'
import { upTo } from './random.ts'

/** What a person decides about an act that asks for permission; `never` is for one that is left without an answer. */
type Verdict = 'allow-once' | 'deny' | 'never'
/** How every turn of a thread ends. */
type Ending = { status: 'completed' } | { status: 'failed'; code: string }
/** A thread of tasks as its customer wants it: the acts of each message, and how its turns end. */
export type Order = {
  name: string
  messages: readonly (readonly ReportedAct[])[]
  ending: Ending
  approvalTtlMs?: number
}

const LONGEST_ACT_MS = 250
const LONGEST_THREAD = 4
const APPROVAL_TTL_MS = 1_000

type Kind = { asks: readonly Verdict[]; refuses?: true; ending?: Ending; approvalTtlMs?: number }
const PLAIN: Kind = { asks: [] }
const ALLOWED: Kind = { asks: ['allow-once'] }
/** They ask at the same time. */
const MIXED: Kind = { asks: ['allow-once', 'deny', 'allow-once'] }
const REFUSING: Kind = { asks: [], refuses: true, ending: { status: 'failed', code: 'agent_failed' } }
const EXPIRING: Kind = {
  asks: ['never'],
  approvalTtlMs: APPROVAL_TTL_MS,
  ending: { status: 'failed', code: 'approval_expired' },
}
const kinds = [PLAIN, ALLOWED, ALLOWED, MIXED, MIXED, { asks: ['deny'] }, REFUSING, EXPIRING] as const

/** The verdict on an act, which its id ends with. */
export const verdictOn = (act: string): Verdict => act.split(':')[1] as Verdict

export const makeOrder = (name: string, random: () => number): Order => {
  const kind: Kind = kinds[upTo(kinds.length - 1, random)] ?? PLAIN
  const { asks, refuses, ending = { status: 'completed' }, approvalTtlMs } = kind
  const act = (id: string, more: Partial<ReportedAct> = {}): ReportedAct => ({
    id,
    waitMs: upTo(LONGEST_ACT_MS, random),
    ...more,
  })
  const message = (place: number): ReportedAct[] => [
    act(`${name}.${place}.0`, { ...(random() < 0.3 && { leaves: true }), ...(refuses && { refuses }) }),
    ...asks.map((verdict, n) => act(`${name}.${place}.${n + 1}:${verdict}`, { asks: true })),
  ]
  // Of a turn that fails it is not told what the next one does again.
  const length = ending.status === 'completed' ? 1 + upTo(LONGEST_THREAD - 1, random) : 1
  const messages = Array.from({ length }, (_, place) => message(place))
  return { name, messages, ending, ...(approvalTtlMs !== undefined && { approvalTtlMs }) }
}

/** The text of a message. Its first line tells it from all others, and is the title of a turn that it begins. */
export const messageText = (order: Order, place: number): string => {
  const [first, ...asking] = order.messages[place] ?? []
  const lines = [[first], asking].filter(({ length }) => length > 0)
  return [`${order.name}.${place}`, ...lines.map((acts) => `acts ${JSON.stringify(acts)}`)].join('\n')
}
