import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { feedSuite } from './feed.ts'

feedSuite('a SQLite file', async (needs) => {
  const folder = await mkdtemp(join(tmpdir(), 'feed-'))
  const store = openSqliteStore({ file: join(folder, 'store.db'), deliver: async () => undefined, ...needs })
  store.start()
  const close = async () => {
    await store.close()
    await rm(folder, { recursive: true })
  }
  return { process: () => store, close }
})
