import { asPartOf, invalid, Problem } from '../core/errors.ts'
import { fingerprintOf, REPLAY_MS, refuseReuse, replayKey } from '../core/idempotency.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Trace } from '../core/trace.ts'
import { secretContext } from '../deliveries/schema.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { AnyWrite, Store, Write } from '../ports/store.ts'
import type { CreateTask, Task } from '../tasks/schema.ts'
import type { GatewayBody } from './contract.ts'
import { scaffolded } from './prompt.ts'
import { type GatewayKey, type GatewayRequest, gatewayKeys, gatewayRequests, requestIdOf } from './rows.ts'

/** The verbs of tasks that the gateway calls. */
export type GatewayTasks = {
  /**
   * A new task, the write that stores and queues it, and the rows of the same commit. A `watched` task sends a notice
   * each time it ends. Throws Problem `invalid` for an invalid task.
   */
  draft(
    principal: Principal,
    body: CreateTask,
    more: { id?: string; watched?: true; trace?: Trace | undefined },
  ): { task: Task; write: AnyWrite; rows: readonly AnyWrite[] }
  /** Throws Problem `invalid` for a task whose repository this caller may not name. */
  checkRepository(principal: Principal, body: Pick<CreateTask, 'repository'>): Promise<void>
  /** The whole task; undefined when it does not exist. */
  find(id: string): Promise<Task | undefined>
  /** Whether the task has ended; undefined when it does not exist. */
  isOver(id: string): Promise<boolean | undefined>
  /** Requests a notice at the end of a task; false when it has ended or does not exist. */
  watch(id: string): Promise<boolean>
  /** The latest progress message of the task's agent. */
  lastProgress(id: string): Promise<string | undefined>
}

type Needs = {
  store: Store
  tasks: Pick<GatewayTasks, 'draft' | 'find' | 'checkRepository'>
  outbound: Pick<Outbound, 'check'>
  cipher: Pick<Cipher, 'seal'>
  clock: Clock
  ids: Ids
}

/** A stored request: its task, and the task's status at that time. */
type Submitted = { taskId: string; status: Task['status']; replayed: boolean }

type Asked = { principal: Principal; body: GatewayBody; trace: Trace | undefined }

/** The longest prompt of a task. */
const LONGEST_PROMPT = 100_000

const MOST_TRIES = 20

/** Stores a request: its task, the request and the use of its key are one commit. */
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
    return {
      id,
      taskId,
      userId: principal.userId,
      tokenId: principal.tokenId ?? '',
      workflow: body.workflow,
      createdAt: iso(clock.now()),
      ...(notifyUrl === undefined ? {} : { notifyUrl }),
      ...(notifyUrl === undefined || notifySecret === undefined
        ? {}
        : { secret: await cipher.seal(notifySecret, secretContext(id)) }),
    }
  }

  const draft = ({ principal, body, trace }: Asked, id: string) => {
    const watched = body.options.notifyUrl === undefined ? {} : ({ watched: true } as const)
    try {
      return tasks.draft(principal, taskOf(body, id), { id, trace, ...watched })
    } catch (thrown) {
      throw asPartOf('task', thrown)
    }
  }

  const checkRepository = (principal: Principal, { task }: GatewayBody) =>
    tasks.checkRepository(principal, task).catch((thrown) => {
      throw asPartOf('task', thrown)
    })

  /** The answer to a used key; undefined when the release before died before it stored the task. */
  const replay = async (body: GatewayBody, known: GatewayKey): Promise<Submitted | undefined> => {
    refuseReuse(known.bodyHash, hashOf(body))
    const task = await tasks.find(known.taskId)
    return task && { taskId: task.id, status: known.status ?? task.status, replayed: true }
  }

  /** Stores a request; undefined when another request has used its key since `known` was read. */
  const submitNew = async (
    asked: Asked,
    key: string | undefined,
    known: GatewayKey | undefined,
  ): Promise<Submitted | undefined> => {
    const { principal, body } = asked
    await refusePrivate(body.options.notifyUrl)
    const taskId = ids.next('task')
    const { task, write, rows } = draft(asked, taskId)
    await checkRepository(principal, body)
    const { status } = task
    const request: AnyWrite = { insert: gatewayRequests, row: await requestOf(principal, body, taskId) }
    const use = { bodyHash: hashOf(body), taskId, status, expiresAt: clock.now() + REPLAY_MS }
    const { applied } = await (key === undefined
      ? store.commit(request, [write, ...rows])
      : store.commit(keyWrite(key, use, known), [request, write, ...rows]))
    return applied ? { taskId, status, replayed: false } : undefined
  }

  return async (
    principal: Principal,
    body: GatewayBody,
    idempotencyKey?: string,
    trace?: Trace,
  ): Promise<Submitted> => {
    const key = idempotencyKey && replayKey(principal, idempotencyKey)
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const known = key ? await store.get(gatewayKeys, key) : undefined
      const submitted =
        (known && (await replay(body, known))) ?? (await submitNew({ principal, body, trace }, key, known))
      if (submitted !== undefined) return submitted
    }
    throw contended()
  }
}

/** The write that uses a key, or uses it again when its task was never stored. */
const keyWrite = (
  key: string,
  use: Omit<GatewayKey, 'key'>,
  known: GatewayKey | undefined,
): Write<GatewayKey> =>
  known === undefined
    ? { insert: gatewayKeys, row: { key, ...use } }
    : { update: gatewayKeys, key, when: { taskId: known.taskId }, set: use }

const contended = () =>
  new Problem('unavailable', 'request_contended', 'The request was not stored; send it again', {
    retryAfterMs: 1_000,
  })

/**
 * The task for its agent. Its id marks the beginning and the end of the caller's text, since the caller cannot know it.
 */
const taskOf = ({ task, workflow }: GatewayBody, taskId: string): CreateTask => {
  const prompt = scaffolded(workflow, task, taskId)
  if (prompt !== undefined && prompt.length > LONGEST_PROMPT)
    throw invalid(
      [{ path: '', message: `is longer than ${LONGEST_PROMPT} characters with the text of its workflow` }],
      'prompt_too_long',
    )
  return { ...task, ...(prompt === undefined ? {} : { prompt }), metadata: { ...task.metadata, workflow } }
}

/** Leaves out the secret: not even its hash is stored. */
const hashOf = ({ task, workflow, options: { notifySecret: _secret, ...options } }: GatewayBody): string =>
  fingerprintOf({ task, workflow, options })
