import { Readable } from 'node:stream'
import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from '@jest/globals'
import { openDynamoDb } from '../../../lib/adapters/aws/clients.ts'
import { CREDENTIALS, REGION } from '../../../offline/emulators.ts'

/** Many more than the SDK's own budget of repetitions would bear. */
const CALLS = 300
const AT_ONCE = 50

/**
 * A client whose n-th request of each call is answered with the n-th status, the last one for ever. No socket is between, so that
 * no time limit of a busy machine adds a request.
 */
const openDatabase = (...statuses: { status: number; type: string }[]) => {
  const heard = new Map<string, number>()
  const client = openDynamoDb({ region: REGION, credentials: CREDENTIALS })
  client.config.requestHandler.handle = async ({ headers }) => {
    const call = String(headers['amz-sdk-invocation-id'])
    const n = heard.get(call) ?? 0
    heard.set(call, n + 1)
    const { status, type } = statuses[Math.min(n, statuses.length - 1)] ?? { status: 200, type: '' }
    const body = Readable.from([JSON.stringify(status === 200 ? {} : { __type: type })])
    const answered = { 'content-type': 'application/x-amz-json-1.0' }
    return { response: { statusCode: status, headers: answered, body } }
  }
  const call = () => client.send(new GetItemCommand({ TableName: 't', Key: { id: { S: 'a' } } }))
  return { call, requestsOfCalls: () => [...heard.values()], [Symbol.dispose]: () => client.destroy() }
}

const BROKEN = { status: 500, type: 'InternalServerError' }
const THROTTLED = { status: 400, type: 'ThrottlingException' }
const WRONG = { status: 400, type: 'ResourceNotFoundException' }
const FINE = { status: 200, type: '' }

describe('a client of AWS', () => {
  it('makes every call up to four times, however many had to be repeated before', async () => {
    using database = openDatabase(BROKEN, BROKEN, BROKEN, FINE)
    for (let made = 0; made < CALLS; made += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, database.call))
    expect(database.requestsOfCalls()).toEqual(Array(CALLS).fill(4))
  })

  it.each([
    ['gives up one that fails four times', [BROKEN], 4],
    ['repeats one that was throttled', [THROTTLED, FINE], 2],
    ['does not repeat one that is wrong in itself', [WRONG], 1],
  ])('%s', async (_what, statuses, requests) => {
    using database = openDatabase(...statuses)
    const last = statuses.at(-1)
    if (last === FINE) await database.call()
    else await expect(database.call()).rejects.toMatchObject({ name: last?.type })
    expect(database.requestsOfCalls()).toEqual([requests])
  })
})
