import { encode } from '../../../lib/adapters/aws/sqs/message.ts'

let messages = 0
const nextNumber = () => {
  messages += 1
  return String(messages).padStart(12, '0')
}

/** Messages with these texts, as Lambda takes them from a queue. */
export const sqsEvent = (...texts: readonly string[]) => ({
  Records: texts.map((body) => ({
    messageId: `00000000-0000-4000-8000-${nextNumber()}`,
    receiptHandle: 'none',
    body,
    attributes: { ApproximateReceiveCount: '1' },
    messageAttributes: {},
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:ai-tasks',
  })),
})

/** The message of a task's attempt. */
export const runEvent = (taskId: string, attempt = 1) =>
  sqsEvent(encode({ body: { taskId, attempt }, priority: 3 }))
