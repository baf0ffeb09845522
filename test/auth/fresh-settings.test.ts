import { describe, expect, it } from '@jest/globals'
import { openDynamoDb } from '../../lib/adapters/aws/clients.ts'
import { createTables, tableDefinitions } from '../../lib/adapters/aws/dynamodb/tables.ts'
import { everyAuthHandler, everyAuthRoute } from '../../lib/api/auth.ts'
import { serveGroup } from '../../lib/app/cloud.ts'
import { servePeople } from '../../lib/app/cloud-people.ts'
import { tableNames } from '../../lib/app/cloud-ports.ts'
import { collections } from '../../lib/collections.ts'
import { securityRoutes } from '../../lib/security/contract.ts'
import { securityHandlers } from '../../lib/security/handlers.ts'
import { settingsRoutes } from '../../lib/settings/contract.ts'
import { settingsHandlers } from '../../lib/settings/handlers.ts'
import { CREDENTIALS, REGION, startDynamoDb } from '../../offline/emulators.ts'
import { httpEvent } from '../fakes/http-event.ts'
import { forAllTests } from '../fakes/lifetimes.ts'

const TABLE_PREFIX = 'fresh-'
const UNUSED = 'http://127.0.0.1:9'

const database = forAllTests(
  async () => {
    const emulator = await startDynamoDb()
    const client = openDynamoDb({ endpoint: emulator.endpoint, region: REGION, credentials: CREDENTIALS })
    await createTables(client, tableDefinitions(collections, tableNames(TABLE_PREFIX)))
    client.destroy()
    Object.assign(process.env, {
      SERVICE_MODE: 'pro',
      LOG_LEVEL: 'error',
      AUTH_MODE: 'local',
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      DYNAMODB_ENDPOINT: emulator.endpoint,
      TABLE_PREFIX,
      TASK_QUEUE_URL: UNUSED,
      TASK_URGENT_QUEUE_URL: UNUSED,
      NOTIFICATION_QUEUE_URL: UNUSED,
      FILES_BUCKET: 'unused',
    })
    return emulator
  },
  (emulator) => emulator.stop(),
)

type Instance = ReturnType<typeof newAuth>

const newAuth = () => servePeople(everyAuthRoute, everyAuthHandler)
const newSettings = () => servePeople(settingsRoutes, settingsHandlers)

const ask = async (instance: Instance, request: string, body?: object, cookie?: string) => {
  const answer = await instance(httpEvent(request, body, cookie ? { cookie } : {}), {})
  const [given] = (answer.headers['set-cookie'] ?? '').split(';')
  return { status: answer.statusCode, cookie: given }
}

const newPolicy = () => serveGroup(securityRoutes, securityHandlers)

describe('instances of functions on the same tables', () => {
  it('are all closed by a new access key at once, and all know it', async () => {
    expect(database().endpoint).toContain('127.0.0.1')
    const [first, second, settings] = [newAuth(), newAuth(), newSettings()]
    const settingsStatus = async (cookie?: string) =>
      (await ask(settings, 'GET /api/settings', undefined, cookie)).status
    // Each has read that there is no key.
    await ask(second, 'GET /api/auth/me')
    expect(await settingsStatus()).toBe(200)

    const owner = await ask(first, 'PUT /api/auth/access-key', { key: 'open sesame' })
    expect([await settingsStatus(), await settingsStatus(owner.cookie)]).toEqual([401, 200])

    const guest = await ask(second, 'POST /api/auth/verify-access-key', { key: 'open sesame' })
    expect([guest.status, await settingsStatus(guest.cookie)]).toEqual([200, 200])

    await ask(first, 'PUT /api/auth/access-key', { key: 'another key' }, owner.cookie)
    expect([await settingsStatus(guest.cookie), await settingsStatus(owner.cookie)]).toEqual([401, 200])
    const statuses = []
    for (const key of ['open sesame', 'another key'])
      statuses.push((await ask(second, 'POST /api/auth/verify-access-key', { key })).status)
    expect(statuses).toEqual([401, 200])
  })

  it('see a change of settings and of the policy of tools at once, after they have read the earlier ones', async () => {
    const keeper = newAuth()
    const { cookie = '' } = await ask(keeper, 'POST /api/auth/verify-access-key', { key: 'another key' })
    const answeredBody = async (instance: Instance, request: string, body?: object) =>
      JSON.parse((await instance(httpEvent(request, body, { cookie }), {})).body)
    const [settings, otherSettings, policy, otherPolicy] = [
      ...[newSettings(), newSettings(), newPolicy(), newPolicy()],
    ] as const
    const attempts = async () =>
      (await answeredBody(otherSettings, 'GET /api/settings')).settings.retry.attempts
    const blocked = async () =>
      (await answeredBody(otherPolicy, 'GET /api/security/policy')).policy.blockedTools
    expect([await attempts(), await blocked()]).toEqual([3, []])
    await answeredBody(settings, 'PATCH /api/settings', { retry: { attempts: 5 } })
    await answeredBody(policy, 'PUT /api/security/policy', { blockedTools: ['git'] })
    expect([await attempts(), await blocked()]).toEqual([5, ['git']])
  })
})
