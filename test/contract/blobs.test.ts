import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createS3Blobs } from '../../lib/adapters/aws/s3.ts'
import { createMemoryBlobs } from '../../lib/adapters/memory/blobs.ts'
import { createFolderBlobs } from '../../lib/adapters/node/folder-blobs.ts'
import { startBucket } from '../adapters/aws/bucket.ts'
import { blobsContract } from './blobs.ts'

blobsContract('in memory', async () => ({ blobs: createMemoryBlobs(), close: async () => undefined }), {
  failure: 'there is nothing behind it that could fail',
})

blobsContract('in a folder', async () => {
  const above = await mkdtemp(join(tmpdir(), 'blobs-'))
  const folder = join(above, 'files')
  const breakDown = () => rm(folder, { recursive: true })
  return { blobs: createFolderBlobs({ folder }), breakDown, close: () => rm(above, { recursive: true }) }
})

const openS3 = async (prefix?: string) => {
  const { client, bucket, breakDown, stop: close } = await startBucket()
  const blobs = createS3Blobs({ client, bucket, ...(prefix !== undefined && { prefix }) })
  return { blobs, breakDown, close }
}

const emulated = {
  'full size': 'fauxqs takes at most 11 MB',
  order: 'fauxqs sorts as people do, not as S3 does',
}
blobsContract('in S3', () => openS3(), emulated)
blobsContract('in S3 under a prefix', () => openS3('some/where-'), emulated)
