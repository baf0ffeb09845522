import * as z from 'zod'
import { createSqsBatchHandler } from '../adapters/aws/sqs/sqs-batch.ts'
import { type Announce, AnnounceSchema } from '../notifications/schema.ts'
import { poisonLetter } from '../queue/poison.ts'
import { type RunTask, RunTaskSchema } from '../tasks/schema.ts'
import { openJobs } from './cloud-jobs.ts'

/** The handler of notification messages. */
export const openNotify = () => {
  const { outbox, deadLetters, ...outside } = openJobs()
  return createSqsBatchHandler<Announce>({
    ...outside,
    parse: AnnounceSchema,
    handle: ({ body }) => outbox.deliver(body),
    onPoison: (poison) => deadLetters.addMessage(poisonLetter(poison)),
  })
}

const UNDELIVERABLE = {
  code: 'undeliverable',
  message: 'The queue gave up: the message was received again and again, and nobody could claim the task',
}

const GivenUpSchema = z.union([RunTaskSchema, AnnounceSchema])

/**
 * The handler of what SQS gave up on, tasks and announcements. An announcement is stored until it is delivered, and
 * each tick sends it again, so its message is let go. A task that still waits for that very message is failed and gets its dead letter,
 * a message that names no task becomes a dead letter itself, any other has been overtaken.
 */
export const openDlq = () => {
  const { tasks, deadLetters, ...outside } = openJobs()
  const take = async (messageId: string, message: RunTask | Announce) => {
    if ('announcementId' in message)
      return outside.log.warn(
        { messageId, ...message },
        'an announcement was given up, the next tick sends it',
      )
    const { taskId } = message
    if (await tasks.runs.undeliverable(message, UNDELIVERABLE)) return
    if (!(await tasks.exists(taskId)))
      // A create that was refused may have sent twice: one dead letter for one task.
      await deadLetters.addMessage({ messageId: ulidOf(taskId) ?? messageId, taskId, reason: 'unknown_task' })
  }
  return createSqsBatchHandler<RunTask | Announce>({
    ...outside,
    parse: GivenUpSchema,
    handle: ({ id, body }) => take(id, body),
    onPoison: (poison) => deadLetters.addMessage(poisonLetter(poison)),
  })
}

const ulidOf = (taskId: string) => /^task_([0-9A-Z]{26})$/.exec(taskId)?.[1]
