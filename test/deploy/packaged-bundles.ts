import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { startReceiver } from '../adapters/outbound-receiver.ts'
import { httpEvent } from '../fakes/http-event.ts'
import type { startCloud } from './cloud.ts'
import { type packageStage, root } from './serverless.ts'
import { unzipBundle } from './zip.ts'

const BUNDLES = ['auth', 'gateway', 'outbound'] as const
const INVOKE = `
const { handler } = await import(process.argv[1])
process.stdout.write(JSON.stringify(await handler(JSON.parse(process.argv[2]), {})))
process.exit()
`
/** Larger than what a row keeps in itself. */
const LONG = 'word '.repeat(10_000)

type Answer = { statusCode: number; headers: Record<string, string>; body: string }

type Cloud = Awaited<ReturnType<typeof startCloud>>
type Packaged = { stage: () => ReturnType<typeof packageStage>; cloud: () => Cloud }

/** Tests of the bundles of a package, beside nothing but what the runtime has. */
export const packagedBundles = ({ stage, cloud }: Packaged): void => {
  let folder: string
  let environment: Awaited<ReturnType<Cloud['openEnvironment']>>
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'packaged-'))
    for (const name of BUNDLES)
      writeFileSync(path.join(folder, `${name}.mjs`), unzipBundle(stage().zip(name), name))
    // The runtime has the SDK, and no other package.
    mkdirSync(path.join(folder, 'node_modules'))
    symlinkSync(path.join(root, 'node_modules/@aws-sdk'), path.join(folder, 'node_modules/@aws-sdk'))
    environment = await cloud().openEnvironment()
  })
  afterAll(() => {
    environment?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** A request to a function of the package, in a process of its own. */
  const ask = async (
    name: (typeof BUNDLES)[number],
    ...request: Parameters<typeof httpEvent>
  ): Promise<Answer> => {
    const args = ['--input-type=module', '-e', INVOKE, `./${name}.mjs`, JSON.stringify(httpEvent(...request))]
    const env = { PATH: process.env.PATH, ...environment.env }
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env })
    const answer = JSON.parse(stdout)
    if (answer.statusCode >= 400) throw new Error(`${name}: ${answer.body}`)
    return answer
  }

  let session: { cookie: string }

  it('sign people in', async () => {
    const person = { email: 'admin@example.com', password: 'correct horse 1', name: 'Admin' }
    const { headers } = await ask('auth', 'POST /api/auth/signup', person)
    session = { cookie: headers['set-cookie']?.split(';')[0] ?? '' }
    expect(JSON.parse((await ask('auth', 'GET /api/auth/me', undefined, session)).body)).toMatchObject({
      user: { email: person.email },
    })
  })

  it('send to the address of a webhook', async () => {
    await using receiver = await startReceiver()
    const given = { url: receiver.url, events: ['task.failed'], generateSecret: true }
    const { webhook } = JSON.parse((await ask('outbound', 'POST /api/webhooks', given, session)).body)
    await ask('outbound', `POST /api/webhooks/${webhook.id}/test`, {}, session)
    expect(receiver.heard).toMatchObject([{ path: '/hook' }])
  })

  it('take a task of a program: its long prompt goes to S3, a secret is sealed by KMS', async () => {
    const scopes = { name: 'program', scopes: ['gateway'] }
    const { token } = JSON.parse((await ask('gateway', 'POST /api/tokens', scopes, session)).body)
    const known = { authorization: `Bearer ${token}` }
    const task = { title: 'Task', prompt: LONG }
    const options = { notifyUrl: 'http://127.0.0.1:9/', notifySecret: 'secret' }
    const { body } = await ask('gateway', 'POST /api/gateway', { task, options }, known)
    const status = await ask('gateway', `GET ${JSON.parse(body).statusUrl}`, undefined, known)
    expect(JSON.parse(status.body)).toMatchObject({ taskId: JSON.parse(body).taskId, status: 'queued' })
    expect(environment.uses()).toEqual(
      expect.arrayContaining(['kms:GenerateDataKey', 's3:PutObject rows/tasks']),
    )
  })
}
