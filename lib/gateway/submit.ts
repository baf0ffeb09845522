import { type FieldIssue, invalid, Problem } from '../core/errors.ts'
import { fingerprintOf, REPLAY_MS, refuseReuse, replayKey } from '../core/idempotency.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import { secretContext } from '../deliveries/schema.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { Store } from '../ports/store.ts'
import type { CreateTask, Task } from '../tasks/schema.ts'
import type { GatewayBody } from './contract.ts'
import type { GatewayTasks } from './needs.ts'
import { scaffolded } from './prompt.ts'
import { type GatewayKey, type GatewayRequest, gatewayKeys, gatewayRequests, requestIdOf } from './rows.ts'

type Needs = {
  store: Store
  tasks: Pick<GatewayTasks, 'prepare' | 'find'>
  outbound: Pick<Outbound, 'check'>
  cipher: Pick<Cipher, 'seal'>
  clock: Clock
  ids: Ids
}

/** A request that was taken: the task it is for, and its state then. */
export type Submitted = { taskId: string; status: Task['status']; replayed: boolean }

/** As long as any prompt may be. */
const LONGEST_PROMPT = 100_000

/**
 * Takes a request: its key, where it has one, then the request, then its task, each written on condition that it is not
 * there. A death in between leaves a beginning, and whoever comes again with the same key goes on from there.
 */
export const createSubmit = ({ store, tasks, outbound, cipher, clock, ids }: Needs) => {
  const refusePrivate = async (url: string | undefined): Promise<void> => {
    if (url === undefined) return
    try {
      await outbound.check(url)
    } catch (thrown) {
      if (!(thrown instanceof Problem) || thrown.kind !== 'invalid') throw thrown
      throw invalid([{ path: 'options.notifyUrl', message: thrown.message }], thrown.code)
    }
  }

  const requestOf = async (
    principal: Principal,
    body: GatewayBody,
    taskId: string,
  ): Promise<GatewayRequest> => {
    const id = requestIdOf(taskId)
    const { notifyUrl, notifySecret } = body.options
    const createdAt = iso(clock.now())
    return {
      id,
      taskId,
      userId: principal.userId,
      tokenId: principal.tokenId ?? '',
      workflow: body.workflow,
      createdAt,
      ...(notifyUrl === undefined ? {} : { notifyUrl, openSince: createdAt }),
      ...(notifyUrl === undefined || notifySecret === undefined
        ? {}
        : { secret: await cipher.seal(notifySecret, secretContext(id)) }),
    }
  }

  /** A request and its task under that id. What it returns stores both, or what of them is missing. */
  const prepare = (principal: Principal, body: GatewayBody, taskId: string) => {
    const storeTask = placed(() => tasks.prepare(principal, taskOf(body, taskId), taskId))
    return async (): Promise<Task> => {
      const row = await requestOf(principal, body, taskId)
      await store.commit<GatewayRequest>({ insert: gatewayRequests, row })
      return storeTask()
    }
  }

  const replay = async (principal: Principal, body: GatewayBody, known: GatewayKey): Promise<Submitted> => {
    refuseReuse(known.bodyHash, hashOf(body))
    const { taskId } = known
    const task = (await tasks.find(taskId)) ?? (await prepare(principal, body, taskId)())
    return { taskId, status: known.status ?? task.status, replayed: true }
  }

  const submitNew = async (principal: Principal, body: GatewayBody, key: string | undefined) => {
    await refusePrivate(body.options.notifyUrl)
    const taskId = ids.next('task')
    // Before its key is used up: what cannot be a task is refused here.
    const storeBoth = prepare(principal, body, taskId)
    if (key !== undefined) {
      const row = { key, bodyHash: hashOf(body), taskId, expiresAt: clock.now() + REPLAY_MS }
      const { applied, row: standing } = await store.commit<GatewayKey>({ insert: gatewayKeys, row })
      if (!applied && standing) return replay(principal, body, standing)
    }
    const { status } = await storeBoth()
    if (key !== undefined) await store.commit<GatewayKey>({ update: gatewayKeys, key, set: { status } })
    return { taskId, status, replayed: false }
  }

  return async (principal: Principal, body: GatewayBody, idempotencyKey?: string): Promise<Submitted> => {
    const key = idempotencyKey && replayKey(principal, idempotencyKey)
    const known = key ? await store.get(gatewayKeys, key) : undefined
    return known ? replay(principal, body, known) : submitNew(principal, body, key)
  }
}

/** What is wrong with a task is wrong with the `task` of the request. */
const placed = <T>(prepare: () => T): T => {
  try {
    return prepare()
  } catch (thrown) {
    if (!(thrown instanceof Problem && thrown.kind === 'invalid' && Array.isArray(thrown.details)))
      throw thrown
    // A list among the details of such a problem is one of fields; see `invalid`.
    const issues = thrown.details as readonly FieldIssue[]
    throw invalid(
      issues.map(({ path, message }) => ({ path: path === '' ? 'task' : `task.${path}`, message })),
      thrown.code,
    )
  }
}

/** The task as its agent is to see it. Its id marks where the caller's words begin and end, for they cannot know it. */
const taskOf = ({ task, workflow }: GatewayBody, taskId: string): CreateTask => {
  const prompt = scaffolded(workflow, task, taskId)
  if (prompt !== undefined && prompt.length > LONGEST_PROMPT)
    throw invalid(
      [{ path: '', message: `is longer than ${LONGEST_PROMPT} characters with the text of its workflow` }],
      'prompt_too_long',
    )
  return { ...task, ...(prompt === undefined ? {} : { prompt }), metadata: { ...task.metadata, workflow } }
}

/** Without the secret, of which not even a hash is to lie about. */
const hashOf = ({ task, workflow, options: { notifySecret: _secret, ...options } }: GatewayBody): string =>
  fingerprintOf({ task, workflow, options })
