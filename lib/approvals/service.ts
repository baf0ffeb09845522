import { createHash } from 'node:crypto'
import { fitting } from '../core/answer-size.ts'
import { canonicalJson } from '../core/canonical-json.ts'
import { definedFields } from '../core/defined-fields.ts'
import { existing, missing, Problem } from '../core/errors.ts'
import type { Masker } from '../core/masker.ts'
import { NOT_DECIDED } from '../core/not-decided.ts'
import { rowPages } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import { CORRECTED, createStepWatch, isTooLate, tooLateFrom } from '../core/wrong-clock.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { AnyWrite, Outcome, Store } from '../ports/store.ts'
import {
  type AllowedToolRow,
  type ApprovalRow,
  type ApprovalSlot,
  allowedTools,
  approvalSlots,
  approvals,
  OF_A_TASK,
} from './rows.ts'
import type { AllowedTool, Approval, ApprovalAnswer, ApprovalRequest, Decision, WaitState } from './schema.ts'

/** The session of a call: a conversation or a task, of one user. */
export const toScope = ({ userId, conversationId, taskId }: Session): string => {
  if (taskId !== undefined) return `task:${taskId}:${userId}`
  return conversationId === undefined ? `user:${userId}` : `conversation:${conversationId}:${userId}`
}

/** A hash of the session, the tool and the canonical arguments. Throws TypeError where JSON cannot hold them. */
const callBinding = (request: ApprovalRequest): string => {
  // A round trip through JSON removes members that are undefined, which a schema may leave.
  const plainArguments: unknown = JSON.parse(JSON.stringify(request.arguments))
  const text = canonicalJson([toScope(request), request.tool, plainArguments])
  return createHash('sha256').update(text).digest('base64url')
}

type Needs = {
  store: Store
  clock: Clock
  ids: Ids
  log: Pick<Log, 'warn'>
  masker: Masker
  /** Makes the audit record of a call that waited and is never made, for the commit that withdraws its approval. */
  recordNotMade: (approval: ApprovalRow, reason: string) => AnyWrite
}

/** The time for a decision, where the request names none and no task waits for it. */
export const APPROVAL_MS = 600_000
/** A decision that no call has used lapses after a day: the next such call asks again. */
const UNUSED_MS = 86_400_000
/** The retention of rows after their end, for people and for links from the audit. */
const KEPT_MS = 30 * 86_400_000
const ALLOWED_MS = 90 * 86_400_000
const MOST_LISTED = 200
/** The reason of calls that are not made. */
const TASK_ENDED = 'its task has ended'
const LISTED_AT_ONCE = 50
const MOST_DUE = 100
/** The tries of concurrent requests for the same approval: a try fails only when another request succeeded. */
const TRIES = 8

type Session = Pick<ApprovalRequest, 'userId' | 'conversationId' | 'taskId'>

const refusals = { denied: 'a person denied this call', expired: NOT_DECIDED } as const

export type ApprovalService = ReturnType<typeof createApprovals>

/**
 * Approvals of tool calls. They outlive the request and the process: a decision is one commit, which sends a message
 * to the run that waits. An approval is bound to the tool, its exact arguments, and one session of one user. One call uses
 * up an approval, or a denial: the same call may be asked for again later.
 */
export const createApprovals = ({ store, clock, ids, log, masker, recordNotMade }: Needs) => {
  const isDue = ({ expiresAt }: Approval) => expiresAt !== undefined && Date.parse(expiresAt) <= clock.now()

  const hasLapsed = ({ decidedAt }: Approval) =>
    decidedAt !== undefined && Date.parse(decidedAt) + UNUSED_MS <= clock.now()

  const ended = (id: string, set: Partial<ApprovalRow>) => ({
    update: approvals,
    key: id,
    when: { status: 'pending' },
    set: { ...set, decidedAt: iso(clock.now()), dueAt: iso(clock.now() + KEPT_MS) },
    unset: ['pendingOf', 'pendingTask'] as const,
  })

  /** Ends an approval that no call uses any more, and records its call; the next such call asks again. */
  const endUnused = async (id: string, status: 'denied' | 'expired', reason: string): Promise<void> => {
    const row = await store.get(approvals, id, true)
    if (row?.status !== 'pending') return
    const end = ended(id, { status, usedAt: iso(clock.now()) })
    await store.commit<ApprovalRow>(end, [recordNotMade(row, reason), slotRemoval(row)])
  }

  /** Of an expiry and a decision the first commit wins. It denies the call of a conversation; a task fails with it. */
  const expire = async (row: Readonly<ApprovalRow>): Promise<void> => {
    if (row.taskId !== undefined) return endUnused(row.id, 'expired', NOT_DECIDED)
    await store.commit<ApprovalRow>(ended(row.id, { status: 'expired' }))
  }

  const mayHaveStepped = createStepWatch(clock)

  const correct = async (row: Readonly<ApprovalRow>, now: number): Promise<void> => {
    const { id, status, requestedAt, expiresAt: before, dueAt } = row
    if (status !== 'pending' || before === undefined || dueAt === undefined) return
    if (!isTooLate(Date.parse(requestedAt), now)) return
    const expiresAt = iso(now + Date.parse(before) - Date.parse(requestedAt))
    const set = { requestedAt: iso(now), expiresAt, dueAt: expiresAt }
    const write = { update: approvals, key: id, when: { status, dueAt }, set }
    if ((await store.commit<ApprovalRow>(write)).applied)
      log.warn({ approvalId: id, before, expiresAt }, CORRECTED)
  }

  /** Computes expiries anew that were stored under a clock ahead: request and expiry are times of the same clock. */
  const correctExpiries = async (): Promise<void> => {
    const now = clock.now()
    const where = [{ field: 'dueAt' as const, from: tooLateFrom(now) }]
    const ahead = { index: 'due', order: 'desc', limit: MOST_DUE, where } as const
    for await (const rows of rowPages((from) => store.page(approvals, { ...ahead, ...from })))
      for (const row of rows) await correct(row, now)
  }

  const current = async (id: string): Promise<ApprovalRow | undefined> => {
    const row = await store.get(approvals, id)
    if (row?.status !== 'pending' || !isDue(row)) return row
    await expire(row)
    return store.get(approvals, id)
  }

  const open = async (request: ApprovalRequest, binding: string): Promise<Outcome<ApprovalSlot>> => {
    const now = clock.now()
    const id = ids.next('apv')
    const { userId, conversationId, taskId, tool, risk, title, mode } = request
    const { ttlMs = taskId === undefined ? APPROVAL_MS : 0 } = request
    const expiresAt = iso(now + ttlMs)
    const row: ApprovalRow = {
      id,
      userId,
      toolName: tool,
      title,
      securityLevel: risk,
      status: 'pending',
      ...definedFields({ conversationId, taskId, awaited: request.awaited }),
      ...(taskId !== undefined && { pendingTask: OF_A_TASK }),
      params: masker.data(JSON.parse(JSON.stringify(request.arguments))),
      requestedAt: iso(now),
      pendingOf: userId,
      scope: toScope(request),
      binding,
      mode,
      ...(ttlMs === 0 ? {} : { expiresAt, dueAt: expiresAt }),
    }
    const slot = { binding, approvalId: id }
    return store.commit<ApprovalSlot>({ insert: approvalSlots, row: slot }, [{ insert: approvals, row }])
  }

  /** Returns the approval that is valid for the binding; makes one where there is none. */
  const findOrOpen = async (request: ApprovalRequest, binding: string): Promise<ApprovalRow | undefined> => {
    const slot = await store.get(approvalSlots, binding)
    if (slot === undefined) {
      await open(request, binding)
      return undefined
    }
    const row = await current(slot.approvalId)
    const isUsed = row?.usedAt !== undefined && !isRepeat(row, request)
    if (row !== undefined && !isUsed && !hasLapsed(row)) return row
    await store.commit<ApprovalSlot>(slotRemoval({ id: slot.approvalId, binding }))
    return undefined
  }

  const toAnswer = ({ id, status }: ApprovalRow): ApprovalAnswer => {
    if (status === 'pending') return { state: 'pending', approvalId: id }
    if (status === 'approved') return { state: 'approved', approvalId: id }
    return { state: 'denied', approvalId: id, reason: refusals[status] }
  }

  /** The slot of one that a repeat may ask for stays, until the next such call, or the removal of its approval. */
  const spend = async ({ id, binding }: ApprovalRow, usedBy: string | undefined): Promise<boolean> => {
    const { applied } = await store.commit<ApprovalRow>(
      {
        update: approvals,
        key: id,
        when: { usedAt: null },
        set: { usedAt: iso(clock.now()), ...definedFields({ usedBy }) },
      },
      usedBy === undefined ? [slotRemoval({ id, binding })] : [],
    )
    return applied
  }

  const answer = async (request: ApprovalRequest, uses: boolean): Promise<ApprovalAnswer> => {
    const binding = bound(request)
    if (binding === undefined)
      return { state: 'denied', reason: 'its arguments hold text that is not well-formed Unicode' }
    if (await store.get(allowedTools, [toScope(request), request.tool])) return { state: 'approved' }
    for (let tries = 0; tries < TRIES; tries += 1) {
      const row = await findOrOpen(request, binding)
      if (row === undefined) continue
      const isKept = row.status === 'pending' || isRepeat(row, request)
      if (!uses || isKept || (await spend(row, request.requestId))) return toAnswer(row)
    }
    throw new Problem('unavailable', 'approval_busy', 'The same call is being requested. Try again')
  }

  const isVisible = ({ userId, role }: Principal, row: ApprovalRow) =>
    row.userId === userId || (role === 'admin' && row.taskId !== undefined)

  /** The pending approvals of a list, oldest first, as many as fit an answer. */
  const pendingIn = async (index: 'pendingOf' | 'pendingTasks', is: string) => {
    const query = { index, is, order: 'asc', limit: LISTED_AT_ONCE, detail: true } as const
    const rows: Readonly<ApprovalRow>[] = []
    for await (const page of rowPages((from) => store.page(approvals, { ...query, ...from }))) {
      rows.push(...page.filter((row) => !isDue(row)))
      if (rows.length >= MOST_LISTED || fitting(rows).length < rows.length) break
    }
    return fitting(rows.slice(0, MOST_LISTED))
  }

  const list = async ({ userId, role }: Principal): Promise<Approval[]> => {
    const lists = await Promise.all([
      pendingIn('pendingOf', userId),
      ...(role === 'admin' ? [pendingIn('pendingTasks', OF_A_TASK)] : []),
    ])
    const rows = new Map(lists.flat().map((row) => [row.id, row]))
    const oldestFirst = [...rows.values()].sort((a, b) => (a.requestedAt < b.requestedAt ? -1 : 1))
    return fitting(oldestFirst.slice(0, MOST_LISTED).map(toApproval))
  }

  /** Commits a decision; false when the approval is not pending any more. */
  const commitDecision = async ({ userId }: Principal, row: ApprovalRow, decision: Decision) => {
    const status = decision === 'deny' ? 'denied' : 'approved'
    const head = ended(row.id, { status, decision, decidedBy: userId })
    if (decision !== 'allow-always') return (await store.commit<ApprovalRow>(head)).applied
    const insert = { insert: allowedTools, row: allowedBy(row, clock.now()) }
    const outcome = await store.commit<ApprovalRow>(head, [insert])
    // The tool is in the allowlist already.
    if (!outcome.applied && outcome.refused === 1) return (await store.commit<ApprovalRow>(head)).applied
    return outcome.applied
  }

  /** Decides the other pending approvals of a tool that is now always allowed in the session. */
  const allowOthers = async (principal: Principal, { scope, toolName }: ApprovalRow) => {
    const others = { index: 'ofScope', is: scope, order: 'asc', limit: MOST_LISTED } as const
    for await (const rows of rowPages((from) => store.page(approvals, { ...others, ...from })))
      for (const row of rows)
        if (row.status === 'pending' && row.toolName === toolName && !isDue(row))
          await commitDecision(principal, row, 'allow-once')
  }

  const decide = async (principal: Principal, id: string, decision: Decision): Promise<Approval> => {
    const row = existing(await store.get(approvals, id), 'Approval')
    if (!isVisible(principal, row)) throw missing('Approval')
    if (row.status === 'expired' || (row.status === 'pending' && isDue(row))) throw expired()
    if (row.status !== 'pending' || !(await commitDecision(principal, row, decision))) throw decided()
    if (decision === 'allow-always') await allowOthers(principal, row)
    return toApproval(existing(await store.get(approvals, id, true), 'Approval'))
  }

  /** An entry that was made again meanwhile stays. */
  const removeAllowed = async (rows: readonly Readonly<AllowedToolRow>[]) => {
    for (const { scope, toolName, approvalId } of rows) {
      const key = [scope, toolName] as const
      await store.commit<AllowedToolRow>({ remove: allowedTools, key, when: { approvalId } })
    }
  }

  /** The allowed tools that a caller sees: a user's own, for an admin also those of all tasks. */
  const visibleAllowedRows = async ({ userId, role }: Principal): Promise<Readonly<AllowedToolRow>[]> => {
    const query = { order: 'desc', limit: MOST_LISTED } as const
    const pages = await Promise.all([
      store.page(allowedTools, { index: 'ofUser', is: userId, ...query }),
      ...(role === 'admin' ? [store.page(allowedTools, { index: 'ofTasks', is: OF_A_TASK, ...query })] : []),
    ])
    return pages.flatMap(({ rows }) => rows)
  }

  const remove = async (row: Readonly<ApprovalRow>): Promise<void> => {
    const removal = { remove: approvals, key: row.id }
    const { applied } = await store.commit<ApprovalRow>(removal, [slotRemoval(row)])
    if (!applied) await store.commit<ApprovalRow>(removal)
  }

  const withdraw = (id: string, reason: string) => endUnused(id, 'denied', reason)

  const waitState = async (id: string): Promise<WaitState> => {
    const status = (await current(id))?.status
    return status === 'pending' || status === 'expired' ? status : 'decided'
  }

  const withdrawAll = async (rows: readonly Readonly<ApprovalRow>[], reason: string): Promise<void> => {
    for (const { id, status } of rows) if (status === 'pending') await withdraw(id, reason)
  }

  return {
    ask: (request: ApprovalRequest): Promise<ApprovalAnswer> => answer(request, false),
    use: (request: ApprovalRequest): Promise<ApprovalAnswer> => answer(request, true),
    /** The state of an approval that a run waits for. */
    waitState,
    /** The state of all of them: `expired` if any has expired, `decided` once none is pending. */
    stateOfAll: async (ids: readonly string[]): Promise<WaitState> => {
      const states = await Promise.all(ids.map(waitState))
      if (states.includes('expired')) return 'expired'
      return states.includes('pending') ? 'pending' : 'decided'
    },
    /** When the first of them expires; undefined where none does. */
    firstExpiry: async (ids: readonly string[]): Promise<string | undefined> => {
      const rows = await Promise.all(ids.map((id) => store.get(approvals, id)))
      return rows.flatMap((row) => (row?.status === 'pending' ? (row.expiresAt ?? []) : [])).sort()[0]
    },
    /** Those that the caller may decide, oldest first, as many as fit an answer; admins also see those of all tasks. */
    list,
    /** One that waits for a decision, with its arguments. */
    findPending: async (id: string): Promise<Approval | undefined> => {
      const row = await store.get(approvals, id, true)
      return row?.status === 'pending' && !isDue(row) ? toApproval(row) : undefined
    },
    /** Throws Problem `missing`, and Problem `invalid` `approval_decided` or `approval_expired`. */
    decide,
    /** The tools that are always allowed to the caller's sessions, newest first; admins see those of all tasks. */
    listAllowed: async (principal: Principal): Promise<AllowedTool[]> => {
      const byId = new Map((await visibleAllowedRows(principal)).map((row) => [row.approvalId, row]))
      const rows = [...byId.values()].sort((a, b) => (a.allowedAt > b.allowedAt ? -1 : 1))
      return rows.slice(0, MOST_LISTED).map(toAllowedTool)
    },
    /** Makes a tool need approval again in its session. Throws Problem `missing`. */
    disallow: async (principal: Principal, id: string): Promise<void> => {
      const row = (await visibleAllowedRows(principal)).find(({ approvalId }) => approvalId === id)
      await removeAllowed([existing(row, 'Allowed tool')])
    },
    /** Ends undecided approvals, and removes old ones. Resolves to their number; at the limit there may be more. */
    settleDue: async (): Promise<number> => {
      if (mayHaveStepped()) await correctExpiries()
      const where = [{ field: 'dueAt' as const, to: iso(clock.now()) }]
      const { rows } = await store.page(approvals, { index: 'due', order: 'asc', limit: MOST_DUE, where })
      for (const row of rows) await (row.status === 'pending' ? expire(row) : remove(row))
      return rows.length
    },
    /** Denies approvals that no run waits for any more; the audit records their calls with the reason. */
    withdraw: async (ids: readonly string[], reason: string): Promise<void> => {
      for (const id of ids) await withdraw(id, reason)
    },
    /** Denies the approvals of tasks that have ended, or do not exist: a run that died after it asked left them. */
    withdrawLeft: async (hasEnded: (taskId: string) => Promise<boolean>): Promise<void> => {
      const query = { index: 'pendingTasks', is: OF_A_TASK, order: 'asc', limit: MOST_LISTED } as const
      for await (const rows of rowPages((from) => store.page(approvals, { ...query, ...from })))
        for (const { id, taskId } of rows)
          if (taskId !== undefined && (await hasEnded(taskId))) await withdraw(id, TASK_ENDED)
    },
    /** Denies all approvals of a task that has ended, as `withdraw` does. */
    withdrawEnded: async (task: { taskId: string; userId: string }): Promise<void> => {
      const place = { index: 'ofScope', is: toScope(task), order: 'desc', limit: MOST_LISTED } as const
      for await (const rows of rowPages((from) => store.page(approvals, { ...place, ...from })))
        await withdrawAll(rows, TASK_ENDED)
    },
    /** Removes approvals and allowlist of a deleted conversation. Resolves to the number; below `most` none is left. */
    forget: async (session: Session, most: number): Promise<number> => {
      const place = { index: 'ofScope', is: toScope(session), order: 'asc' } as const
      const { rows } = await store.page(approvals, { ...place, limit: most })
      await withdrawAll(rows, 'its conversation was deleted')
      await Promise.all(rows.map(remove))
      if (rows.length >= most) return rows.length
      const { rows: allowed } = await store.page(allowedTools, { ...place, limit: most - rows.length })
      await removeAllowed(allowed)
      return rows.length + allowed.length
    },
  }
}

/** Whether this very request has used the approval up: its answer was lost. */
const isRepeat = ({ usedBy }: ApprovalRow, { requestId }: ApprovalRequest): boolean =>
  usedBy !== undefined && usedBy === requestId

const slotRemoval = ({ id, binding }: Pick<ApprovalRow, 'id' | 'binding'>): AnyWrite => ({
  remove: approvalSlots,
  key: binding,
  when: { approvalId: id },
})

const bound = (request: ApprovalRequest): string | undefined => {
  try {
    return callBinding(request)
  } catch {
    return undefined
  }
}

const toApproval = ({
  scope: _scope,
  binding: _binding,
  usedAt: _used,
  usedBy: _usedBy,
  mode: _mode,
  pendingOf: _pendingOf,
  pendingTask: _pendingTask,
  awaited: _awaited,
  dueAt: _due,
  ...approval
}: ApprovalRow): Approval => approval

const allowedBy = (approval: ApprovalRow, now: number): AllowedToolRow => {
  const { id, scope, toolName, userId, conversationId, taskId } = approval
  return {
    scope,
    toolName,
    userId,
    approvalId: id,
    allowedAt: iso(now),
    expiresAt: now + ALLOWED_MS,
    ...definedFields({ conversationId, taskId }),
    ...(taskId !== undefined && { ofTask: OF_A_TASK }),
  }
}

const toAllowedTool = ({
  scope: _scope,
  ofTask: _ofTask,
  approvalId,
  expiresAt,
  ...row
}: AllowedToolRow): AllowedTool => ({ id: approvalId, ...row, expiresAt: iso(expiresAt) })

const decided = () => new Problem('invalid', 'approval_decided', 'This call is already decided')
const expired = () =>
  new Problem('invalid', 'approval_expired', 'This approval has expired, so the call was denied')
