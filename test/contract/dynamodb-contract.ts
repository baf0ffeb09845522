import { afterAll, beforeAll, describe } from '@jest/globals'
import type { Collection } from '../../lib/core/collection.ts'
import type { Blobs } from '../../lib/ports/blobs.ts'
import type { Emulator } from '../../offline/emulators.ts'
import { openFollowed } from '../adapters/dynamodb/opened.ts'
import { storeContract } from './store.ts'
import type { OpenStore } from './store-samples.ts'

type More = {
  declare?: (collections: readonly Collection[]) => readonly Collection[]
  blobs?: () => Blobs
}

/** The contract of the store on the DynamoDB that `start` starts, with collections as `declare` declares them. */
export const contractOn = (
  name: string,
  start: () => Promise<Emulator>,
  { declare = (all) => all, blobs }: More = {},
) =>
  describe(name, () => {
    let emulator: Emulator | undefined
    beforeAll(async () => {
      emulator = await start()
    })
    afterAll(() => emulator?.stop())
    const open: OpenStore = ({ collections, ...needs }) =>
      openFollowed({
        ...needs,
        endpoint: emulator?.endpoint ?? '',
        collections: declare(collections),
        ...(blobs && { blobs: blobs(), mostInside: 0, mostCopied: 0 }),
      })
    storeContract(`DynamoDB, ${name}`, open)
  })
