import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { createReceiver } from '../fakes/settled-store.ts'
import { storeContract } from './store.ts'
import type { OpenStore } from './store-samples.ts'

const opened = (file: string, needs: Parameters<OpenStore>[0]) => {
  const { deliver, settled } = createReceiver(needs.deliver)
  const store = openSqliteStore({ file, ...needs, deliver })
  store.start()
  return { store, drained: () => settled(store), close: store.close }
}

storeContract('SQLite in memory', async (needs) => opened(':memory:', needs))

storeContract('a SQLite file', async (needs) => {
  const folder = await mkdtemp(join(tmpdir(), 'store-'))
  const { close, ...rest } = opened(join(folder, 'store.db'), needs)
  const closeAndRemove = async () => {
    await close()
    await rm(folder, { recursive: true })
  }
  return { ...rest, close: closeAndRemove }
})
