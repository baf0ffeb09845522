import { CONTROLS } from '../core/controls.ts'
import { cutText } from '../core/cut-text.ts'
import { definedFields } from '../core/defined-fields.ts'
import { Problem } from '../core/errors.ts'
import { fingerprint, REPLAY_MS, refuseReuse, replayKey } from '../core/idempotency.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Trace } from '../core/trace.ts'
import { lostFields, refuseLost } from '../core/truncated.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { AnyWrite, Store } from '../ports/store.ts'
import { type createTaskCommands, taskDefinition } from './commands.ts'
import type { MessageBody } from './contract.ts'
import type { TaskCreation } from './create.ts'
import { isFinal } from './machine.ts'
import type { createTaskReads } from './read.ts'
import { type CreateReplay, createReplays, tasks, type WaitingMessage, waitingMessages } from './rows.ts'
import {
  type CreateTask,
  MOST_PROMPT,
  publicTask,
  TASK_DEFINITION,
  type Task,
  type TaskRow,
  type ThreadMessage,
  toThreadId,
} from './schema.ts'
import { type createThreads, toQueuedMessage, whileLast } from './thread.ts'

type Needs = {
  store: Store
  creation: Pick<TaskCreation, 'draft' | 'commit' | 'checkRepository'>
  reads: Pick<ReturnType<typeof createTaskReads>, 'load'>
  threads: ReturnType<typeof createThreads>
  commands: Pick<ReturnType<typeof createTaskCommands>, 'resolvingFailure'>
  clock: Clock
  ids: Ids
  /** How long the workspace of a task is kept after the end of its run. */
  workspaceTtlMs: number
}

type Reply = { message: ThreadMessage; task?: Task }
type Replayable = Reply & { replayed?: true }
/** A message, the task that it was sent to, and the key of its record where the request has an idempotency key. */
type Sent = {
  body: MessageBody
  task: TaskRow
  record: string | undefined
  trace?: Trace | undefined
}

const MOST_TITLE = 120
/** How long a thread without stored work stays open where no workspace outlives its run. */
const DAY_MS = 86_400_000
/** The most messages that wait for one turn. */
const MOST_WAITING = 20
/** The most turns of a thread. */
const MOST_TURNS = 200
/** A try fails when another request, or the end of a turn, has changed the thread. */
const MOST_TRIES = 20

/** Replies to tasks: the next turn of a thread, or a message that waits for the end of the running one. */
export const createReplies = (needs: Needs) => {
  const { store, creation, reads, threads, commands, clock, ids, workspaceTtlMs } = needs

  /** A new turn behind the last one, of a person's messages, and the writes that belong to it. */
  const nextTurn = async (
    latest: TaskRow,
    messages: readonly Readonly<WaitingMessage>[],
    more: { trace?: Trace | undefined; watched?: true } = {},
  ) => {
    const { createdBy: userId = '', content = '' } = messages[0] ?? {}
    const body = turnDefinition(latest, content, messages)
    // The rights of the person were checked when the message came.
    const principal = { userId, role: 'user' } as const
    const line = {
      threadId: toThreadId(latest),
      parentId: latest.id,
      agent: latest.agent,
      ...definedFields({ home: latest.runner }),
    }
    const { task, write, rows } = await creation.draft(principal, body, { ...line, ...more })
    const letter = await commands.resolvingFailure(latest, { by: userId, taskId: task.id })
    const writes = [whileLast(latest, { nextTurnId: task.id }), write, ...rows] as const
    return { task, letter, writes }
  }

  /** False when the thread has changed since it was read. A dead letter that was decided meanwhile is left out. */
  const commit = async (
    [head, ...rows]: readonly [AnyWrite, ...AnyWrite[]],
    letter?: AnyWrite | undefined,
  ): Promise<boolean> => {
    if (letter && (await creation.commit(head, [...rows, letter])).applied) return true
    return (await creation.commit(head, rows)).applied
  }

  /** Throws Problem `invalid` when a reply could not continue the work of the thread. */
  const refuseUnlessOpen = async (latest: TaskRow): Promise<void> => {
    refuseLost(latest, TASK_DEFINITION, 'The task cannot be continued')
    const turnIds = await threads.turnIds(toThreadId(latest))
    if (turnIds.length >= MOST_TURNS)
      throw new Problem(
        'invalid',
        'thread_too_long',
        `A thread can have at most ${MOST_TURNS} turns. Create a new task`,
      )
    const endedAt = Date.parse(latest.completedAt ?? latest.updatedAt)
    if (!isFinal(latest.status) || clock.now() - endedAt < (workspaceTtlMs || DAY_MS)) return
    let hasBegun = false
    for (const id of turnIds.toReversed()) {
      const turn = await store.get(tasks, id, true)
      if (turn !== undefined && hasStoredWork(turn)) return
      hasBegun ||= turn?.startedAt !== undefined
    }
    if (hasBegun) throw threadClosed()
  }

  /** The answer of the first request with the same key. */
  const replay = async (record: string, { body, task }: Sent): Promise<Replayable | undefined> => {
    const row = await store.get(createReplays, record)
    if (row === undefined) return undefined
    refuseReuse(row.bodyHash, messageFingerprint(task.id, body))
    const { message, made } = row
    const turn = made && (await store.get(tasks, made.id, true))
    if (message === undefined) return undefined
    const { content } = body
    return {
      message: {
        id: message.id,
        taskId: task.id,
        content,
        createdAt: message.createdAt,
        state: message.state,
      },
      ...(turn && { task: asCreated(turn) }),
      replayed: true,
    }
  }

  /** The record of a request with a key, in the same commit as what it made. */
  const keyRecord = ({ record, body, task }: Sent, { message, task: turn }: Reply): AnyWrite[] => {
    if (record === undefined) return []
    const row: CreateReplay = {
      key: record,
      bodyHash: messageFingerprint(task.id, body),
      message: { id: message.id, createdAt: message.createdAt, state: message.state },
      ...(turn && { made: createdParts(turn) }),
      expiresAt: clock.now() + REPLAY_MS,
    }
    return [{ insert: createReplays, row }]
  }

  /** Makes the next turn of the first messages that wait. The end of that turn hands over the others. */
  const handOver = async (
    latest: TaskRow,
    waiting: readonly Readonly<WaitingMessage>[],
  ): Promise<boolean> => {
    const messages = messagesOfOneTurn(waiting)
    const more = messages.length < waiting.length ? { watched: true as const } : {}
    const { writes, letter } = await nextTurn(latest, messages, more)
    return commit([...writes, ...messages.map(removal)], letter)
  }

  /** One try of a reply; undefined when the thread has changed meanwhile. */
  const tryReply = async (principal: Principal, sent: Sent): Promise<Reply | undefined> => {
    const latest = await threads.latestTurn(sent.task)
    await creation.checkRepository(principal, latest)
    await refuseUnlessOpen(latest)
    const threadId = toThreadId(latest)
    const waiting = await threads.waiting(threadId)
    if (waiting.length >= MOST_WAITING) throw tooManyMessages()
    const row: WaitingMessage = {
      id: ids.next('msg'),
      threadId,
      taskId: sent.task.id,
      content: sent.body.content,
      createdAt: iso(clock.now()),
      createdBy: principal.userId,
    }
    const message = toQueuedMessage(row)
    if (!isFinal(latest.status)) {
      // The end of the turn sends a notice, which hands the message over.
      const insert = { insert: waitingMessages, row }
      const writes = [whileLast(latest, { watched: true }), insert, ...keyRecord(sent, { message })] as const
      return (await commit(writes)) ? { message } : undefined
    }
    // The message comes after those that its notice has not handed over yet.
    if (waiting.length > 0) return void (await handOver(latest, waiting))
    const { task, writes, letter } = await nextTurn(latest, [row], definedFields({ trace: sent.trace }))
    const answer: Reply = { message: { ...message, state: 'delivered' }, task }
    return (await commit([...writes, ...keyRecord(sent, answer)], letter)) ? answer : undefined
  }

  /**
   * Adds a message to the thread of a task. After the end of the last turn it makes the next one; before that it waits.
   * Throws Problem `missing` `task_not_found`, `invalid` `thread_closed`, `thread_too_long`, `too_many_messages`, and the
   * errors of a create.
   */
  const reply = async (
    principal: Principal,
    taskId: string,
    { key, ...sent }: Omit<Sent, 'task' | 'record'> & { key?: string | undefined },
  ): Promise<Replayable> => {
    const record = key === undefined ? undefined : replayKey(principal, key)
    const request = { ...sent, record, task: await reads.load(taskId) }
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const answer =
        (record === undefined ? undefined : await replay(record, request)) ??
        (await tryReply(principal, request))
      if (answer !== undefined) return answer
    }
    throw new Problem('invalid', 'task_state_conflict', CHANGES_TOO_OFTEN)
  }

  /** Hands waiting messages over once a turn has ended. A repeat finds none. Throws Problem `unavailable`. */
  const deliver = async (taskId: string): Promise<void> => {
    const task = await store.get(tasks, taskId)
    if (task === undefined) return
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const waiting = await threads.waiting(toThreadId(task))
      if (waiting.length === 0) return
      const latest = await threads.latestTurn(task)
      // The end of that turn sends its own notice.
      if (!isFinal(latest.status) || (await handOver(latest, waiting))) return
    }
    throw new Problem('unavailable', 'task_state_conflict', CHANGES_TOO_OFTEN)
  }

  return { reply, deliver }
}

const messageFingerprint = (taskId: string, { content }: MessageBody): string =>
  fingerprint({ taskId, content })

const CHANGES_TOO_OFTEN = 'The thread has just changed. Send the message again'

const tooManyMessages = () =>
  new Problem(
    'invalid',
    'too_many_messages',
    `${MOST_WAITING} messages are already waiting, which is the limit. Wait for the current turn to end`,
  )

const removal = ({ threadId, id }: Readonly<WaitingMessage>): AnyWrite => ({
  remove: waitingMessages,
  key: [threadId, id],
})

/**
 * The first messages that make one turn: those of one person, one after another, as long as a prompt may be. A turn acts
 * with the rights of its person.
 */
const messagesOfOneTurn = (
  messages: readonly Readonly<WaitingMessage>[],
): readonly Readonly<WaitingMessage>[] => {
  let length = 0
  const end = messages.findIndex(({ content, createdBy }, at) => {
    length += content.length + (at > 0 ? SEPARATOR.length : 0)
    return at > 0 && (createdBy !== messages[0]?.createdBy || length > MOST_PROMPT)
  })
  return messages.slice(0, end < 0 ? messages.length : end)
}

const SEPARATOR = '\n\n'

/** The definition of the last turn with the messages as its prompt. It comes from a person, not from the source of the thread. */
const turnDefinition = (
  latest: TaskRow,
  content: string,
  messages: readonly Readonly<WaitingMessage>[],
): CreateTask => {
  const { description: _1, sourceId: _2, sourceUrl: _3, ...kept } = taskDefinition(latest)
  return {
    ...kept,
    title: titleIn(content) || latest.title,
    prompt: messages.map((message) => message.content).join(SEPARATOR),
    source: 'api',
  }
}

/** The first line of a message that has a text. */
const titleIn = (content: string): string => {
  const lines = content.split(/\r?\n/).map((line) => line.split(new RegExp(CONTROLS, 'gu')).join(' ').trim())
  return cutText(lines.find((line) => line !== '') ?? '', MOST_TITLE).trim()
}

/** Whether a turn left what another one can begin from without its workspace. */
const hasStoredWork = (turn: TaskRow): boolean =>
  turn.result !== undefined && lostFields(turn, ['result']).length === 0

const threadClosed = () =>
  new Problem(
    'invalid',
    'thread_closed',
    'This thread is closed: its workspace was removed, and no branch or diff is stored. Create a new task',
  )

const createdParts = ({ id, agent, maxAttempts, createdAt }: Task) => ({ id, agent, maxAttempts, createdAt })

/** A turn as the answer that created it showed it. */
const asCreated = (row: TaskRow): Task => {
  const { id, agent, maxAttempts, createdAt, createdBy, threadId, parentId } = row
  const times = { createdAt, updatedAt: createdAt, queuedAt: createdAt }
  const created = { id, status: 'queued', agent, attempts: 0, maxAttempts, ...times, createdBy }
  return publicTask({
    ...taskDefinition(row),
    ...created,
    ...definedFields({ threadId, parentId }),
  } as TaskRow)
}
