import type * as z from 'zod'
import { readRowCount } from '../core/collection.ts'
import { shortenedText } from '../core/cut-text.ts'
import { definedFields } from '../core/defined-fields.ts'
import { errorMessage, missing } from '../core/errors.ts'
import { countedPage } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import { retry } from '../core/retry.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Insert, Store, Test } from '../ports/store.ts'
import type { ListToolCallsQuery } from './contract.ts'
import { TOOL_CALL_COUNTER, type ToolCallRow, toolCalls, userToolCallCounter } from './rows.ts'
import type { PolicySource, ToolCallEntry } from './schema.ts'

type Needs = {
  store: Store
  clock: Clock
  ids: Ids
  log: Log
  policy: Pick<PolicySource, 'known'>
  /** Throws Problem `missing` for a conversation that does not exist, or belongs to another user. */
  checkOwnConversation: (principal: Principal, conversationId: string) => Promise<void>
}
type Query = z.output<typeof ListToolCallsQuery>

export type RecordedCall = Omit<ToolCallEntry, 'id' | 'timestamp'> & { risk?: string }

export const KEPT_MS = 90 * 86_400_000
const SUMMARY = 200
/** The most entries that are being written at once; further ones go to the log in full. */
const MOST_WRITING = 1_000

const toRow = (
  { risk: _risk, userId, ...call }: RecordedCall,
  { clock, ids }: Pick<Needs, 'clock' | 'ids'>,
  id = ids.next('tca'),
): ToolCallRow => {
  const sessionId = call.conversationId ?? call.taskId
  const now = clock.now()
  return {
    id,
    timestamp: iso(now),
    userId,
    ...call,
    durationMs: Math.round(call.durationMs),
    argumentsSummary: summary(JSON.stringify(call.arguments) ?? 'null'),
    resultSummary: summary(call.result),
    ...definedFields({ sessionId }),
    expiresAt: now + KEPT_MS,
  }
}

export const toolCallWrite = (
  call: RecordedCall,
  needs: Pick<Needs, 'clock' | 'ids'>,
): Insert<ToolCallRow> => ({ insert: toolCalls, row: toRow(call, needs) })

export type ToolCallAudit = ReturnType<typeof createToolCallAudit>

/** The audit of tool calls: user, tool, decision and result. */
export const createToolCallAudit = (needs: Needs) => {
  const { store, clock, ids, log, policy, checkOwnConversation } = needs
  const writing = new Set<Promise<void>>()

  const toLog = (row: ToolCallRow, reason: string) =>
    log.error({ toolCall: row, reason }, 'a tool call was not stored; this line is its record')

  const write = async (row: ToolCallRow) => {
    try {
      await retry(() => store.commit<ToolCallRow>({ insert: toolCalls, row }), clock)
    } catch (thrown) {
      toLog(row, errorMessage(thrown))
    }
  }

  /**
   * Records a call in the background: the loop does not wait for storage. A record that storage does not accept, or that
   * exceeds the limit of concurrent writes, goes to the log in full. With `auditAll` off, allowed reads are not recorded.
   */
  const record = (call: RecordedCall): void => {
    if (!policy.known().auditAll && call.decision === 'allowed' && call.risk === 'read') return
    const row = toRow(call, { clock, ids })
    if (writing.size >= MOST_WRITING) {
      toLog(row, 'too many are being written')
      return
    }
    const written = write(row).finally(() => writing.delete(written))
    writing.add(written)
  }

  /** Records a call of a run in another process, which has given it an id; a repeated call adds nothing. */
  const recordOnce = async (id: string, call: RecordedCall): Promise<void> => {
    await store.commit<ToolCallRow>({ insert: toolCalls, row: toRow(call, needs, id) })
  }

  const countCalls = async (index: Index, where: Test<ToolCallRow>[]): Promise<number> => {
    if (where.length > 0 || index.index === 'ofSession') return store.count(toolCalls, { ...index, where })
    return readRowCount(store, index.index === 'newest' ? TOOL_CALL_COUNTER : userToolCallCounter(index.is))
  }

  /** Throws Problem `missing` for a conversation of another user; the calls of a deleted conversation stay. */
  const refuseForeign = async (principal: Principal, conversationId: string): Promise<void> => {
    if (principal.role === 'admin') return
    const selection = { index: 'ofSession', is: conversationId, order: 'desc', limit: 1 } as const
    const where: Test<ToolCallRow>[] = [{ field: 'userId', in: [principal.userId] }]
    const { rows } = await store.page(toolCalls, { ...selection, where })
    if (rows.length === 0) await checkOwnConversation(principal, conversationId)
  }

  /** The calls, newest first; admins see all. Throws Problem `missing` for a conversation of another user. */
  const list = async (principal: Principal, query: Query) => {
    const index = narrowestIndex(principal, query)
    const where = toTests(principal, query, index)
    const scope = `toolCalls:${JSON.stringify([index, where])}`
    const { rows, facts } = await countedPage(query, scope, {
      page: (range) => store.page(toolCalls, { ...index, where, order: 'desc', ...range }),
      count: () => countCalls(index, where),
    })
    const { conversationId } = query
    if (rows.length === 0 && conversationId !== undefined) await refuseForeign(principal, conversationId)
    return { entries: rows.map(toSummary), ...facts }
  }

  /** One call in full. Throws Problem `missing`, also for a call of another user. */
  const get = async ({ userId, role }: Principal, id: string): Promise<ToolCallEntry> => {
    const row = await store.get(toolCalls, id, true)
    if (row === undefined || (row.userId !== userId && role !== 'admin')) throw missing('Audit entry')
    return toEntry(row)
  }

  return {
    record,
    recordOnce,
    list,
    get,
    /** Resolves when all records so far are stored or logged. */
    settled: async (): Promise<void> => void (await Promise.all(writing)),
  }
}

type Index = { index: 'newest' } | { index: 'ofUser' | 'ofSession'; is: string }

const narrowestIndex = ({ userId, role }: Principal, query: Query): Index => {
  const session = query.conversationId ?? query.taskId
  if (session !== undefined) return { index: 'ofSession', is: session }
  const user = role === 'admin' ? query.userId : userId
  return user === undefined ? { index: 'newest' } : { index: 'ofUser', is: user }
}

const toTests = ({ userId, role }: Principal, query: Query, { index }: Index): Test<ToolCallRow>[] => {
  const { tool, decision, userId: user, conversationId, taskId, callId, from, to } = query
  const values = definedFields({ tool, decision, userId: user, conversationId, taskId, callId })
  const isOwn = role !== 'admin' && index === 'ofSession'
  return [
    ...Object.entries(values).map(([field, value]) => ({ field: field as keyof typeof values, in: [value] })),
    ...(isOwn ? [{ field: 'userId' as const, in: [userId] }] : []),
    ...((from ?? to) ? [{ field: 'timestamp' as const, ...definedFields({ from, to }) }] : []),
  ]
}

const summary = (text: string): string => shortenedText(text, SUMMARY)

const toEntry = ({
  argumentsSummary: _arguments,
  resultSummary: _result,
  sessionId: _session,
  expiresAt: _expires,
  ...entry
}: ToolCallRow): ToolCallEntry => entry

const toSummary = (row: Readonly<ToolCallRow>): ToolCallEntry => ({
  ...toEntry(row),
  arguments: row.argumentsSummary,
  result: row.resultSummary,
})
