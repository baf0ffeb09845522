import {
  BucketAlreadyOwnedByYou,
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  NoSuchKey,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import {
  checkBlobKey,
  checkBlobList,
  checkBlobPrefix,
  decodeBlob,
  encodeBlob,
  isBlobKey,
  reachFiles,
} from '../../core/blob.ts'
import type { BlobPage, Blobs } from '../../ports/blobs.ts'
import { asUnavailable } from './failure.ts'

type Needs = {
  /** Its settings define retries, time limits and checksums. */
  client: S3Client
  /** A general purpose bucket; directory buckets list in no order. */
  bucket: string
  /** The prefix of every key, such as `files/`; empty by default. */
  prefix?: string
}

/**
 * Texts as objects of an S3 bucket, encrypted as the bucket is set to. The role needs `s3:ListBucket` also for `get`:
 * without it S3 answers 403 for an object that is not there.
 */
export const createS3Blobs = ({ client, bucket, prefix: before = '' }: Needs): Blobs => {
  checkBlobPrefix(before)
  const placeOf = (key: string) => ({ Bucket: bucket, Key: before + checkBlobKey(key) })
  return {
    async put(key, text) {
      const object = { ...placeOf(key), Body: encodeBlob(text), ContentType: 'text/plain; charset=utf-8' }
      await sent(() => client.send(new PutObjectCommand(object)))
    },
    async get(key) {
      const place = placeOf(key)
      const bytes = await read(client, place)
      return bytes && decodeBlob(bytes)
    },
    async remove(key) {
      const place = placeOf(key)
      await sent(() => client.send(new DeleteObjectCommand(place)))
    },
    async list(prefix, page) {
      checkBlobList(prefix, page)
      return sent(() => list(client, { bucket, before, prefix, ...page }))
    },
  }
}

const sent = async <T>(call: () => Promise<T>): Promise<T> => {
  try {
    return await call()
  } catch (thrown) {
    throw asUnavailable(thrown, 'files_unavailable', 'File storage')
  }
}

const read = async (client: S3Client, place: { Bucket: string; Key: string }) => {
  const found = await sent(() => client.send(new GetObjectCommand(place)).catch(absent))
  // The request was answered: a failed download or checksum is a separate failure.
  return reachFiles(async () => found?.Body?.transformToByteArray())
}

// `NoSuchBucket` is a 404 too, and must not count as a missing key.
const absent = (thrown: unknown): undefined => {
  if (!(thrown instanceof NoSuchKey)) throw thrown
}

type Listing = { bucket: string; before: string; prefix: string; limit: number; after?: string }

// S3 may return fewer keys than requested even if more follow, and other writers may have stored invalid names.
const list = async (
  client: S3Client,
  { bucket, before, prefix, limit, after }: Listing,
): Promise<BlobPage> => {
  const keys: string[] = []
  let token: string | undefined
  do {
    const page = await client.send(
      new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: before + prefix,
        MaxKeys: limit - keys.length,
        StartAfter: after === undefined ? undefined : before + after,
        ContinuationToken: token,
      }),
    )
    keys.push(
      ...namesIn(page)
        .map((name) => name.slice(before.length))
        .filter(isBlobKey),
    )
    token = page.NextContinuationToken
  } while (token !== undefined && keys.length < limit)
  const last = keys.at(-1)
  return token !== undefined && last !== undefined ? { keys, next: last } : { keys }
}

const namesIn = ({ Contents = [] }: ListObjectsV2CommandOutput) => Contents.flatMap(({ Key }) => Key ?? [])

/** Creates a bucket in an emulator; deployed buckets come from `resources/`. An existing one is no error. */
export const createBucket = async (client: S3Client, name: string): Promise<void> => {
  await sent(() =>
    client.send(new CreateBucketCommand({ Bucket: name })).catch((thrown: unknown) => {
      if (!(thrown instanceof BucketAlreadyOwnedByYou)) throw thrown
    }),
  )
}
