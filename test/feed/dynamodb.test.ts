import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { type Emulator, hasDynoxide, startDynoxide } from '../../offline/emulators.ts'
import { openClient, openTables } from '../adapters/dynamodb/opened.ts'
import { feedSuite } from './feed.ts'

if (hasDynoxide()) {
  let emulator: Emulator | undefined
  beforeAll(async () => {
    emulator = await startDynoxide()
  })
  afterAll(() => emulator?.stop())
  feedSuite('DynamoDB', async (needs) => {
    const client = openClient(emulator?.endpoint ?? '')
    const { store, again } = await openTables({ client, ...needs })
    const stores = [store]
    const process = () => {
      const one = again()
      stores.push(one)
      return one
    }
    const close = async () => {
      for (const one of stores) await one.close()
      client.destroy()
    }
    return { process, close }
  })
} else {
  console.error('dynoxide is not installed for this machine: the feed is tested on SQLite only')
  it('finds dynoxide in CI', () => expect(process.env.CI).toBeUndefined())
}
