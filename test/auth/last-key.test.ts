import { describe, expect, it } from '@jest/globals'
import { visit } from '../accounts/visitor.ts'
import { openService } from '../journeys/opened-service.ts'
import { temporaryFolder } from '../journeys/service.ts'

describe('the access key of a service that others can reach', () => {
  it('may be changed, and not removed: the service would be open to all', async () => {
    using folder = temporaryFolder()
    const env = { DATA_DIR: folder.path }
    const alone = await openService(env)
    const owner = visit(alone.baseUrl, {}, { direct: true })
    expect((await owner.send('PUT /api/auth/access-key', { key: 'the first key' })).status).toBe(200)
    await alone[Symbol.asyncDispose]()
    await using reachable = await openService({ ...env, TRUST_PROXY: '1' })
    const ann = visit(reachable.baseUrl)
    ann.setToken(owner.token())
    const removed = await ann.send('PUT /api/auth/access-key', { key: null })
    expect([removed.status, removed.body.code]).toEqual([400, 'access_key_required'])
    expect((await visit(reachable.baseUrl).send('GET /api/tasks')).status).toBe(401)
    expect((await ann.send('PUT /api/auth/access-key', { key: 'the second key' })).status).toBe(200)
  })
})
