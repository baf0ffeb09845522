import { describe, expect, it } from '@jest/globals'
import { streamedIn } from '../../offline/streamed.ts'

const behavior = (PathPattern: string, TargetOriginId = 'streaming') => ({ PathPattern, TargetOriginId })
const isStreamed = streamedIn({
  Resources: {
    Bucket: { Type: 'AWS::S3::Bucket' },
    Distribution: {
      Type: 'AWS::CloudFront::Distribution',
      Properties: {
        DistributionConfig: {
          CacheBehaviors: [
            behavior('/api/tasks/export'),
            behavior('/api/chat/sessions/*/events'),
            behavior('/files/?.txt'),
            behavior('/api/other', 'http-api'),
          ],
        },
      },
    } as { Type: string },
  },
})

describe('what the distribution streams', () => {
  it.each([
    ['/api/tasks/export', true],
    ['/api/tasks/exported', false],
    ['/api/tasks', false],
    ['/api/tasks/export/', false],
    ['/api/chat/sessions/s_1/events', true],
    ['/api/chat/sessions/s_1', false],
    ['/files/a.txt', true],
    ['/files/abc.txt', false],
    ['/files/a-txt', false],
    ['/api/other', false],
  ])('is found by its path patterns: %s is %s', (path, expected) => {
    expect(isStreamed(path)).toBe(expected)
  })
})
