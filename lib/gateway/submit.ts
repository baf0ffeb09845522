import { definedFields } from '../core/defined-fields.ts'
import { asFieldIssue, invalid, withPathPrefix } from '../core/errors.ts'
import { fingerprint, REPLAY_MS, refuseReuse, replayKey } from '../core/idempotency.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Trace } from '../core/trace.ts'
import { secretContext } from '../deliveries/schema.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { AnyWrite, Store } from '../ports/store.ts'
import type { CreateTask, Task } from '../tasks/schema.ts'
import type { GatewayBody } from './contract.ts'
import { workflowPrompt } from './prompt.ts'
import { type GatewayKey, type GatewayRequest, gatewayKeys, gatewayRequests, toRequestId } from './rows.ts'

export type GatewayTasks = {
  /** A task, and the writes that store and queue it. A `watched` one sends a notice each time it ends. */
  draft(
    principal: Principal,
    body: CreateTask,
    more: { id?: string; watched?: true; trace?: Trace | undefined },
  ): Promise<{ task: Task; write: AnyWrite; rows: readonly AnyWrite[] }>
  /** Commits as storage does, and logs the new task. */
  commit: Store['commit']
  /** Throws Problem `invalid` for a task whose repository this caller may not name. */
  checkRepository(principal: Principal, body: Pick<CreateTask, 'repository'>): Promise<void>
  find(id: string): Promise<Task | undefined>
  isOver(id: string): Promise<boolean | undefined>
  lastProgress(id: string): Promise<string | undefined>
}

type Needs = {
  store: Store
  tasks: Pick<GatewayTasks, 'draft' | 'commit' | 'checkRepository'>
  outbound: Pick<Outbound, 'check'>
  cipher: Pick<Cipher, 'seal'>
  clock: Clock
  ids: Ids
}

/** A stored request: its task, and the task's status at that time. */
type Submitted = { taskId: string; status: Task['status']; replayed: boolean }

type Asked = { principal: Principal; body: GatewayBody; trace: Trace | undefined }

const LONGEST_PROMPT = 100_000

/** Stores a request: its task, the request and the use of its key are one commit. */
export const createSubmit = ({ store, tasks, outbound, cipher, clock, ids }: Needs) => {
  const refusePrivate = async (url: string | undefined): Promise<void> => {
    if (url === undefined) return
    await outbound.check(url).catch((thrown) => {
      throw asFieldIssue('options.notifyUrl', thrown)
    })
  }

  const newRequest = async (
    principal: Principal,
    body: GatewayBody,
    taskId: string,
  ): Promise<GatewayRequest> => {
    const id = toRequestId(taskId)
    const { notifyUrl, notifySecret } = body.options
    const secret = notifyUrl && notifySecret && (await cipher.seal(notifySecret, secretContext(id)))
    return {
      id,
      taskId,
      userId: principal.userId,
      tokenId: principal.tokenId ?? '',
      workflow: body.workflow,
      createdAt: iso(clock.now()),
      ...definedFields({ notifyUrl, secret: secret || undefined }),
    }
  }

  const draft = async ({ principal, body, trace }: Asked, id: string) => {
    const watched = body.options.notifyUrl === undefined ? {} : ({ watched: true } as const)
    try {
      return await tasks.draft(principal, toTask(body, id), { id, trace, ...watched })
    } catch (thrown) {
      throw withPathPrefix('task', thrown)
    }
  }

  const checkRepository = (principal: Principal, { task }: GatewayBody) =>
    tasks.checkRepository(principal, task).catch((thrown) => {
      throw withPathPrefix('task', thrown)
    })

  /** The answer to a used key; undefined for a new one. Throws Problem `invalid` for another body. */
  const replay = async (body: GatewayBody, key: string): Promise<Submitted | undefined> => {
    const row = await store.get(gatewayKeys, key)
    if (row === undefined) return undefined
    refuseReuse(row.bodyHash, bodyFingerprint(body))
    return { taskId: row.taskId, status: row.status, replayed: true }
  }

  /** Stores a request; undefined when another request has used its key meanwhile. */
  const submitNew = async (asked: Asked, key: string | undefined): Promise<Submitted | undefined> => {
    const { principal, body } = asked
    await refusePrivate(body.options.notifyUrl)
    const taskId = ids.next('task')
    const { task, write, rows } = await draft(asked, taskId)
    await checkRepository(principal, body)
    const { status } = task
    const request: AnyWrite = { insert: gatewayRequests, row: await newRequest(principal, body, taskId) }
    const expiresAt = clock.now() + REPLAY_MS
    const { applied } = await (key === undefined
      ? tasks.commit(request, [write, ...rows])
      : tasks.commit<GatewayKey>(
          { insert: gatewayKeys, row: { key, bodyHash: bodyFingerprint(body), taskId, status, expiresAt } },
          [request, write, ...rows],
        ))
    return applied ? { taskId, status, replayed: false } : undefined
  }

  return async (
    principal: Principal,
    body: GatewayBody,
    idempotencyKey?: string,
    trace?: Trace,
  ): Promise<Submitted> => {
    const key = idempotencyKey && replayKey(principal, idempotencyKey)
    const replayed = () => (key ? replay(body, key) : undefined)
    const submitted =
      (await replayed()) ?? (await submitNew({ principal, body, trace }, key)) ?? (await replayed())
    if (submitted === undefined) throw new Error('The key that another request has used does not exist')
    return submitted
  }
}

/** The task for its agent. Its id marks the caller's text, since the caller cannot know it. */
const toTask = ({ task, workflow }: GatewayBody, taskId: string): CreateTask => {
  const prompt = workflowPrompt(workflow, task, taskId)
  if (prompt !== undefined && prompt.length > LONGEST_PROMPT)
    throw invalid(
      [
        {
          path: '',
          message: `is longer than ${LONGEST_PROMPT} characters including the text of the workflow`,
        },
      ],
      'prompt_too_long',
    )
  return { ...task, ...definedFields({ prompt }), metadata: { ...task.metadata, workflow } }
}

/** Leaves out the secret: not even its hash is stored. */
const bodyFingerprint = ({
  task,
  workflow,
  options: { notifySecret: _secret, ...options },
}: GatewayBody): string => fingerprint({ task, workflow, options })
