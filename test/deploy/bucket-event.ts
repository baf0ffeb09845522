/** What S3 sends of one object of memory, as it was recorded of a bucket: a put, a removal and so on. */
export const bucketEvent = (
  eventName: string,
  name: string,
  eventTime = '2026-11-25T17:00:00.000Z',
): string =>
  JSON.stringify({
    Records: [
      {
        eventVersion: '2.1',
        eventSource: 'aws:s3',
        awsRegion: 'us-east-1',
        eventTime,
        eventName,
        userIdentity: { principalId: 'AWS:AIDAEXAMPLE' },
        requestParameters: { sourceIPAddress: '192.0.2.1' },
        responseElements: {
          'x-amz-request-id': 'C3D13FE58DE4C810',
          'x-amz-id-2': 'FMyUVURIY8/IgAtTv8xRjskZ',
        },
        s3: {
          s3SchemaVersion: '1.0',
          configurationId: '0b5c1b8e-1f5c-4d0c-9a55-0d4c4c8f1f10',
          bucket: {
            name: 'files',
            ownerIdentity: { principalId: 'A3NL1KOZZKExample' },
            arn: 'arn:aws:s3:::files',
          },
          object: {
            key: `memory/${encodeURIComponent(name)}`,
            ...(eventName.startsWith('ObjectCreated')
              ? { size: 20, eTag: 'd41d8cd98f00b204e9800998ecf8427e' }
              : {}),
            sequencer: '0055AED6DCD90281E5',
          },
        },
      },
    ],
  })

/** What S3 sends when a bucket is first connected to a queue. */
export const TEST_EVENT = JSON.stringify({
  Service: 'Amazon S3',
  Event: 's3:TestEvent',
  Time: '2026-11-25T17:00:00.000Z',
  Bucket: 'files',
  RequestId: '5582815E1AEA5ADF',
  HostId: '8cLeGAmw098X5cv4Zkwcmo8vvZa3eH3eKxsPzbB9wrR',
})
