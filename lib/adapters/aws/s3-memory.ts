import { type ListObjectsV2CommandOutput, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3'
import { reachFiles } from '../../core/blob.ts'
import { isMemoryPath, MOST_MEMORY_BYTES, unfitness } from '../../core/memory-path.ts'
import type { MemoryFile, MemoryFiles } from '../../ports/memory-files.ts'
import { getObject, throwFilesUnavailable } from './s3.ts'

export const MEMORY_PREFIX = 'memory/'

type Needs = { client: S3Client; bucket: string }

/** Markdown objects of a bucket, below `memory/`. The tag of one is its ETag. */
export const createS3Memory = ({ client, bucket }: Needs): MemoryFiles => ({
  list: async () => {
    const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: MEMORY_PREFIX })
    const files = (await Array.fromAsync(pages).catch(throwFilesUnavailable)).flatMap(filesIn)
    return files.sort((a, b) => (a.path < b.path ? -1 : 1))
  },
  read: async (path) => {
    if (!isMemoryPath(path)) return undefined
    const answer = await getObject(client, { Bucket: bucket, Key: MEMORY_PREFIX + path })
    if (answer === undefined) return undefined
    if ((answer.ContentLength ?? 0) > MOST_MEMORY_BYTES) {
      // The body is not downloaded.
      Object(answer.Body).destroy?.()
      return 'too_large'
    }
    return reachFiles(async () => answer.Body?.transformToByteArray())
  },
})

const filesIn = ({ Contents = [] }: ListObjectsV2CommandOutput): MemoryFile[] =>
  Contents.flatMap(({ Key = '', ETag = '', Size = 0 }) => {
    const path = Key.slice(MEMORY_PREFIX.length)
    if (isMemoryPath(path)) return [{ path, tag: ETag, size: Size }]
    const unfit = unfitness(path)
    return unfit === undefined ? [] : [{ path, tag: ETag, size: Size, unfit }]
  })
