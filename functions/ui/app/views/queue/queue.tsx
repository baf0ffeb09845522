import { useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Tag } from '../../components/tag.tsx'
import { View } from '../../components/view.tsx'
import { useQueueStatus } from '../../data/queue.ts'
import { TaskTabs } from '../../shell/task-tabs.tsx'
import { DeadLetters } from './dead-letters.tsx'
import { QueueStatus } from './queue-status.tsx'

const modes = { memory: 'In this process', sqs: 'Amazon SQS' } as const

export const Queue = (): ReactNode => {
  const { status = 'pending', fingerprint } = useSearch({ from: '/tasks/queue' })
  const { data, error, refetch } = useQueueStatus()
  return (
    <View
      title="Queue"
      tabs={<TaskTabs />}
      isFixed
      aside={
        data && (
          <span className="max-md:hidden">
            <Tag>{modes[data.mode]}</Tag>
          </span>
        )
      }
    >
      <QueueStatus status={data} error={error} onRetry={() => void refetch()} />
      <DeadLetters
        key={`${status} ${fingerprint}`}
        status={status}
        fingerprint={fingerprint}
        counts={data?.deadLetterQueue}
      />
    </View>
  )
}
