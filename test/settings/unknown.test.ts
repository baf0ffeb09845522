import { describe, expect, it } from '@jest/globals'
import { SETTINGS_ID, settingsRows } from '../../lib/settings/rows.ts'
import { startApi } from '../fakes/caller.ts'

describe('what is no setting', () => {
  it('is neither stored nor on record, whatever it is called', async () => {
    await using api = await startApi()
    const { service, call } = api
    const retry = { attempts: 4, patience: 9, constructor: { prototype: { admin: true } } }
    const body = { retry, system: { role: 'admin' }, moods: { today: 'good' }, constructor: { a: 1 } }
    expect((await call('PATCH /api/settings', { body })).status).toBe(200)
    const row = await service.store.get(settingsRows, SETTINGS_ID)
    expect(row?.values).toEqual({ 'retry.attempts': 4 })
    const { records } = (await call('GET /api/audit?action=settings.change')).body
    expect(records).toMatchObject([{ details: { 'retry.attempts': 4 } }])
    expect(Object.keys(records[0].details)).toEqual(['retry.attempts'])
  })
})
