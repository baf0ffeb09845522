import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { storeContract } from './store.ts'

storeContract('SQLite in memory', async (needs) => {
  const store = openSqliteStore({ file: ':memory:', ...needs })
  return { store, close: () => store.close() }
})

storeContract('a SQLite file', async (needs) => {
  const folder = await mkdtemp(join(tmpdir(), 'store-'))
  const store = openSqliteStore({ file: join(folder, 'store.db'), ...needs })
  const close = async () => {
    await store.close()
    await rm(folder, { recursive: true })
  }
  return { store, close }
})
