import { randomBytes } from 'node:crypto'
import { createKmsCipher, openKms } from '../../lib/adapters/aws/kms.ts'
import { createCipher } from '../../lib/adapters/node/cipher.ts'
import { keysOfFile } from '../../lib/adapters/node/cipher-keys.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { CREDENTIALS, REGION } from '../../offline/emulators.ts'
import { startKms } from '../adapters/kms/server.ts'
import { temporaryFolder } from '../journeys/service.ts'
import { cipherContract } from './cipher.ts'

const ofProcess = () => {
  const key = randomBytes(32)
  return () => createCipher({ keys: () => [key], entropy })
}

cipherContract('a key that the process has', async () => ({ open: ofProcess(), another: ofProcess()() }))

cipherContract('a key file', async () => {
  const folder = temporaryFolder()
  return {
    open: () => createCipher({ keys: keysOfFile({ folder: folder.path, entropy }), entropy }),
    another: ofProcess()(),
    close: async () => folder[Symbol.dispose](),
  }
})

cipherContract('KMS', async () => {
  const kms = await startKms('key-1')
  const other = await startKms('key-1')
  const clients = await Promise.all(
    [kms, other].map(({ endpoint }) => openKms({ region: REGION, endpoint, credentials: CREDENTIALS })),
  )
  const kmsCipher = (client = clients[0]) => {
    if (client === undefined) throw new Error('no client')
    return createKmsCipher({ connect: async () => client, keyId: 'key-1', entropy, clock: createClock() })
  }
  return {
    open: () => kmsCipher(),
    another: kmsCipher(clients[1]),
    close: async () => {
      for (const client of clients) client.destroy()
      await Promise.all([kms.stop(), other.stop()])
    },
  }
})
