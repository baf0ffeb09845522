import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { openDynamoDb, openS3 } from '../../lib/adapters/aws/clients.ts'
import { createDynamoStore } from '../../lib/adapters/aws/dynamodb/store.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { tableNames } from '../../lib/app/cloud-ports.ts'
import { collections } from '../../lib/collections.ts'
import { REGION } from '../../offline/emulators.ts'
import { body, principal, tasksOn } from '../adapters/dynamodb/life.ts'
import { startCloud } from './cloud.ts'
import { startProgram } from './program.ts'

const TASKS = 450
const TOGETHER = 50
/** So that the export is longer than one part of an upload. */
const prompt = 'é'.repeat(12_000)

let cloud: Awaited<ReturnType<typeof startCloud>>
let environment: Awaited<ReturnType<(typeof cloud)['openEnvironment']>>
let program: Awaited<ReturnType<typeof startProgram>>

const fill = async (endpoint: string, prefix: string) => {
  const client = openDynamoDb({ region: REGION, endpoint })
  const given = { client, collections, clock: createClock(), random: Math.random }
  const tasks = tasksOn(createDynamoStore({ ...given, tableName: tableNames(prefix) }))
  for (let made = 0; made < TASKS; made += TOGETHER)
    await Promise.all(Array.from({ length: TOGETHER }, () => tasks.create(principal, body({ prompt }))))
  client.destroy()
}

beforeAll(async () => {
  cloud = await startCloud()
  environment = await cloud.openEnvironment()
  const { env } = environment
  await fill(env.DYNAMODB_ENDPOINT, env.TABLE_PREFIX)
  program = await startProgram(['functions/agentic/server.ts'], { ...env, AUTH_MODE: 'local' })
})
afterAll(async () => {
  await program?.stop()
  environment?.stop()
  await cloud?.stop()
})

const ask = async () => {
  const [answer] = (await once(get(`${program.url}/api/tasks/export`), 'response')) as [IncomingMessage]
  return { answer, key: String(answer.headers['x-export-copy']) }
}

const read = async (Key: string) => {
  const s3 = openS3({ region: REGION, endpoint: environment.env.S3_ENDPOINT })
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: environment.env.FILES_BUCKET, Key }))
  const kept = String(await Body?.transformToString())
  s3.destroy()
  return kept
}

describe('an export of the streaming function', () => {
  it('lies in the bucket of files as it was streamed, where its header says', async () => {
    const { answer, key } = await ask()
    const streamed = await text(answer)
    expect(answer.statusCode).toBe(200)
    expect((await read(key)) === streamed).toBe(true)
    expect(JSON.parse(streamed)).toMatchObject({ taskCount: TASKS })
  })

  it('names no copy to HEAD, which makes none', async () => {
    const { status, headers } = await fetch(`${program.url}/api/tasks/export`, { method: 'HEAD' })
    expect({ status, disposition: headers.get('content-disposition') }).toMatchObject({
      status: 200,
      disposition: expect.stringContaining('attachment'),
    })
    expect(headers.has('x-export-copy')).toBe(false)
  })

  // The last: it ends the program.
  it('is there whole when its caller has left and the program is told to end, once it has ended', async () => {
    const { answer, key } = await ask()
    await once(answer, 'data')
    answer.destroy()
    await program.stop()
    expect(JSON.parse(await read(key))).toMatchObject({ taskCount: TASKS })
  })
})
