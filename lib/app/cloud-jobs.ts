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
import { createAuthContext } from '../composition/auth.ts'
import { composeNotices, type Notice, NoticeSchema } from '../composition/notices.ts'
import { composeWork } from '../composition/work.ts'
import { type Config, readConfig } from '../config/config.ts'
import { errorMessage } from '../core/errors.ts'
import type { AgentAdapter } from '../ports/agent.ts'
import type { Log } from '../ports/log.ts'
import { poisonLetter } from '../queue/dead-letters.ts'
import { type RunTask, RunTaskSchema } from '../tasks/schema.ts'
import { describeAgents } from './cloud-agents.ts'
import { openAccounts, openSending, openWorkPorts, type Sending, withoutSending } from './cloud-ports.ts'

/** The domains of a function without agents; its tasks may name `adapters`. */
export const openJobs = (
  config: Config = readConfig(),
  sending: Sending = withoutSending,
  adapters: readonly AgentAdapter[] = [],
) => {
  const outside = { ...openWorkPorts(config, sending), adapters }
  const auth = createAuthContext(outside, config)
  const { log, clock, redeliverIn } = outside
  // A function that sends also writes comments.
  const commenting = sending === withoutSending ? {} : { commenting: openAccounts(auth, outside, config) }
  const work = composeWork(auth, { ...outside, ...commenting }, config)
  return { ...work, settings: auth.settings, auth, outside, log, clock, redeliverIn }
}

type Needs = { settings: { refresh(): Promise<unknown> | undefined }; log: Pick<Log, 'warn'> }

/** Reads the settings again. After a failure the cached ones stay: no message has to wait for them. */
export const refreshSettings = async ({ settings, log }: Needs): Promise<void> => {
  try {
    await settings.refresh()
  } catch (thrown) {
    log.warn({ reason: errorMessage(thrown) }, 'settings were not read')
  }
}

type Batch = (event: SqsEvent, context: InvocationContext) => Promise<SqsBatchResponse>

/** The domains of a function that handles notices: it sends deliveries, and retries the tasks of bulk jobs. */
const openNotices = async () => {
  const config = readConfig()
  const { deliveries, ...jobs } = openJobs(config, openSending(config), await describeAgents(config))
  /** Each delivery has its first attempt before the invocation ends: nothing continues after it. */
  const sending =
    (batch: Batch): Batch =>
    async (event, context) => {
      await refreshSettings(jobs)
      try {
        return await batch(event, context)
      } finally {
        await deliveries.settled(0)
      }
    }
  return { ...jobs, ...composeNotices({ ...jobs, audit: jobs.auth.audit }, jobs.outside), sending }
}

export const openNotify = async () => {
  const { handleNotice, deadLetters, sending, ...outside } = await openNotices()
  const batch = createSqsBatchHandler<Notice>({
    ...outside,
    within: withinInvocation,
    parse: NoticeSchema,
    handle: ({ body }) => handleNotice(body),
    onPoison: (poison) => deadLetters.addMessage(poisonLetter(poison)),
  })
  return sending(batch)
}

const UNDELIVERABLE = {
  code: 'undeliverable',
  message:
    'SQS moved the message to the dead letter queue: no worker claimed the task in as many tries as the queue allows',
}

const GivenUpSchema = z.union([TurnMessageSchema, RunTaskSchema, NoticeSchema])

/**
 * The handler of messages that SQS gave up. A task that still waits for its message fails with a dead letter; a message
 * without a task, and a turn that could not continue, become dead letters. A notice is handled once more.
 */
export const openDlq = async () => {
  const { tasks, deadLetters, handleNotice, sending, ...outside } = await openNotices()
  const settle = async (messageId: string, message: RunTask | Notice | TurnMessage) => {
    if ('kind' in message) return handleNotice(message)
    if ('approvalId' in message) {
      const reason = `turn_undeliverable: after the decision on ${message.approvalId}`
      return deadLetters.addMessage({ messageId, taskId: message.taskId ?? 'unknown', reason })
    }
    // The tick withdraws its approvals.
    if ('endedTaskId' in message) return
    const { taskId } = message
    if (await tasks.lease.markUndeliverable(message, UNDELIVERABLE)) return
    if (!(await tasks.exists(taskId)))
      await deadLetters.addMessage({ messageId, taskId, reason: 'unknown_task' })
  }
  const batch = createSqsBatchHandler<RunTask | Notice | TurnMessage>({
    ...outside,
    within: withinInvocation,
    parse: GivenUpSchema,
    handle: ({ id, body }) => settle(id, body),
    onPoison: (poison) => deadLetters.addMessage(poisonLetter(poison)),
  })
  return sending(batch)
}

/** The log line about tasks that the tick could not recover, which resources/alarms.ts turns into an alarm. */
export const stuckTasks = (tablePrefix: string, value: number, atMs: number) =>
  embeddedMetric({ namespace: tablePrefix.replace(/-$/, ''), name: 'StuckTasks', value, atMs })
