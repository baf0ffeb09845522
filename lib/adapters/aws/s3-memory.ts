import {
  GetObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  NoSuchKey,
  type S3Client,
} from '@aws-sdk/client-s3'
import { reachFiles } from '../../core/blob.ts'
import { isMemoryPath, MOST_MEMORY_BYTES, unfitness } from '../../core/memory-path.ts'
import type { MemoryFile, MemoryFiles } from '../../ports/memory-files.ts'
import { asUnavailable } from './failure.ts'

/** The prefix of memory files in the bucket. */
export const MEMORY_PREFIX = 'memory/'

type Needs = { client: S3Client; bucket: string }

const sent = async <T>(call: () => Promise<T>): Promise<T> => {
  try {
    return await call()
  } catch (thrown) {
    throw asUnavailable(thrown, 'files_unavailable', 'File storage')
  }
}

/** Markdown objects of a bucket, below `memory/`. The tag of one is its ETag. */
export const createS3Memory = ({ client, bucket }: Needs): MemoryFiles => ({
  list: () =>
    sent(async () => {
      const found: MemoryFile[] = []
      let token: string | undefined
      do {
        const place = { Bucket: bucket, Prefix: MEMORY_PREFIX, ContinuationToken: token }
        const page: ListObjectsV2CommandOutput = await client.send(new ListObjectsV2Command(place))
        found.push(...filesIn(page))
        token = page.NextContinuationToken
      } while (token !== undefined)
      return found.sort((a, b) => (a.path < b.path ? -1 : 1))
    }),
  read: async (path) => {
    if (!isMemoryPath(path)) return undefined
    const place = { Bucket: bucket, Key: MEMORY_PREFIX + path }
    const found = await sent(() => client.send(new GetObjectCommand(place)).catch(absent))
    if (found === undefined) return undefined
    if ((found.ContentLength ?? 0) > MOST_MEMORY_BYTES) {
      // The body is not downloaded.
      Object(found.Body).destroy?.()
      return 'too_large'
    }
    return reachFiles(async () => found.Body?.transformToByteArray())
  },
})

const filesIn = ({ Contents = [] }: ListObjectsV2CommandOutput): MemoryFile[] =>
  Contents.flatMap(({ Key = '', ETag = '', Size = 0 }) => {
    const path = Key.slice(MEMORY_PREFIX.length)
    if (isMemoryPath(path)) return [{ path, tag: ETag, size: Size }]
    const unfit = unfitness(path)
    return unfit === undefined ? [] : [{ path, tag: ETag, size: Size, unfit }]
  })

// `NoSuchBucket` is a 404 too, and must not count as a missing file.
const absent = (thrown: unknown): undefined => {
  if (!(thrown instanceof NoSuchKey)) throw thrown
}
