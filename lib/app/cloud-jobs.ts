import * as z from 'zod'
import { embeddedMetric } from '../adapters/aws/embedded-metric.ts'
import {
  createSqsBatchHandler,
  type InvocationContext,
  type SqsBatchResponse,
  type SqsEvent,
} from '../adapters/aws/sqs/sqs-batch.ts'
import { withinInvocation } from '../adapters/node/log.ts'
import { type TurnMessage, TurnMessageSchema } from '../approvals/schema.ts'
import { type Notice, NoticeSchema } from '../composition/notices.ts'
import { errorMessage } from '../core/errors.ts'
import type { Log } from '../ports/log.ts'
import { poisonLetter } from '../queue/dead-letters.ts'
import { type RunTask, RunTaskSchema } from '../tasks/schema.ts'
import { type Cloud, openCloud } from './cloud.ts'
import { openedOnce } from './cloud-function.ts'

type Needs = { settings: { refresh(): Promise<unknown> | undefined }; log: Pick<Log, 'warn'> }

/** Reads the settings again. After a failure the cached ones stay: no message has to wait for them. */
export const refreshSettings = async ({ settings, log }: Needs): Promise<void> => {
  try {
    await settings.refresh()
  } catch (thrown) {
    log.warn({ reason: errorMessage(thrown) }, 'settings were not read')
  }
}

/** Reads the stored keys of models again. After a failure the known ones stay. */
export const refreshModelKeys = async ({ ports, log }: Pick<Cloud, 'ports' | 'log'>): Promise<void> => {
  try {
    await ports.modelKeys.refresh()
  } catch (thrown) {
    log.warn({ reason: errorMessage(thrown) }, 'the stored keys of models were not read')
  }
}

type Messages<Body> = {
  parse: z.ZodType<Body>
  handle: (cloud: Cloud, body: Body, messageId: string) => Promise<void>
}

/** A function that takes the messages of a queue, opened by its first event. */
const serveQueue = <Body extends object>({ parse, handle }: Messages<Body>) => {
  const opened = openedOnce(async (config) => {
    const cloud = await openCloud(config)
    const { deadLetters, deliveries, ports } = cloud
    const batch = createSqsBatchHandler<Body>({
      ...ports,
      within: withinInvocation,
      parse,
      handle: ({ id, body }) => handle(cloud, body, id),
      onPoison: (poison) => deadLetters.addMessage(poisonLetter(poison)),
    })
    return async (event: SqsEvent, context: InvocationContext): Promise<SqsBatchResponse> => {
      await refreshSettings(cloud)
      try {
        return await batch(event, context)
      } finally {
        // Each delivery has its first attempt before the invocation ends: nothing continues after it.
        await deliveries.settled(0)
      }
    }
  })
  return async (event: SqsEvent, context: InvocationContext) => (await opened())(event, context)
}

/** Handles the notices of a batch: notifications, deliveries to webhooks and callers, and slices of bulk jobs. */
export const serveNotices = () =>
  serveQueue<Notice>({ parse: NoticeSchema, handle: ({ handleNotice }, notice) => handleNotice(notice) })

const UNDELIVERABLE = {
  code: 'undeliverable',
  message:
    'SQS moved the message to the dead letter queue: no worker claimed the task in as many tries as the queue allows',
}

/**
 * Handles messages that SQS gave up. A task that still waits for its message fails with a dead letter; a message without a
 * task, and a turn that could not continue, become dead letters. A notice is handled once more.
 */
export const serveGivenUp = () =>
  serveQueue<RunTask | Notice | TurnMessage>({
    parse: z.union([TurnMessageSchema, RunTaskSchema, NoticeSchema]),
    handle: async ({ tasks, deadLetters, handleNotice }, message, messageId) => {
      if ('kind' in message) return handleNotice(message)
      if ('approvalId' in message) {
        const reason = `turn_undeliverable: after the decision on ${message.approvalId}`
        await deadLetters.addMessage({ messageId, taskId: message.taskId ?? 'unknown', reason })
        return
      }
      // The tick withdraws its approvals.
      if ('endedTaskId' in message) return
      const { taskId } = message
      if (await tasks.lease.markUndeliverable(message, UNDELIVERABLE)) return
      if (!(await tasks.exists(taskId)))
        await deadLetters.addMessage({ messageId, taskId, reason: 'unknown_task' })
    },
  })

/** The log line about tasks that the tick could not recover, which resources/alarms.ts turns into an alarm. */
export const stuckTasks = (tablePrefix: string, value: number, atMs: number) =>
  embeddedMetric({ namespace: tablePrefix.replace(/-$/, ''), name: 'StuckTasks', value, atMs })
