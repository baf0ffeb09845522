import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import * as path from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { startService, temporaryFolder } from '../journeys/service.ts'

/** Files and folders that anybody but their owner may read, write or enter. */
const openIn = (folder: string) =>
  readdirSync(folder).filter((name) => (statSync(path.join(folder, name)).mode & 0o077) !== 0)

describe('a data folder that everybody may enter', () => {
  it('has nothing in it that another user may read', async () => {
    using folder = temporaryFolder()
    const data = folder.in('data')
    mkdirSync(data)
    chmodSync(data, 0o755)
    await using service = await startService({ env: { DATA_DIR: data } })
    await fetch(`${service.baseUrl}/api/auth/access-key`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: 'a key to store' }),
    })
    expect(readdirSync(data)).toEqual(expect.arrayContaining(['service.db', 'service.db-wal', 'lock.db']))
    expect(openIn(data)).toEqual([])
  })

  it('is closed after the fact, files of a process that died included', async () => {
    using folder = temporaryFolder()
    const env = { DATA_DIR: folder.in('data') }
    const before = await startService({ env })
    await before.kill9()
    const databases = readdirSync(env.DATA_DIR).filter((name) => name.includes('.db'))
    for (const name of databases) chmodSync(path.join(env.DATA_DIR, name), 0o644)
    expect(openIn(env.DATA_DIR)).toContain('service.db-wal')
    await using _service = await startService({ env })
    expect(openIn(env.DATA_DIR)).toEqual([])
  })
})
