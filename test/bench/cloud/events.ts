import { encode } from '../../../lib/adapters/aws/sqs/message.ts'

/** The events that functions get from AWS. */
type Headers = Readonly<Record<string, string>>

let messages = 0
const nextNumber = () => {
  messages += 1
  return String(messages).padStart(12, '0')
}

/** A request as the HTTP API passes it on: `GET /api/tasks?limit=50`. */
export const httpEvent = (route: string, body?: unknown, headers: Headers = {}) => {
  const [method = '', url = ''] = route.split(' ')
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  return {
    version: '2.0',
    rawPath: pathname,
    rawQueryString: String(searchParams),
    headers: { host: 'localhost', 'content-type': 'application/json', ...headers },
    queryStringParameters: Object.fromEntries(searchParams),
    requestContext: { requestId: 'req_1', http: { method, path: pathname, sourceIp: '127.0.0.1' } },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    isBase64Encoded: false,
  }
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
