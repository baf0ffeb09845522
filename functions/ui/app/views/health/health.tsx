import { RefreshCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { HealthTag } from '../../components/health-tag.tsx'
import { Problem } from '../../components/problem.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { View } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'
import { useHealth, useMetrics } from '../../data/health.ts'
import { Components } from './components.tsx'
import { Endpoints } from './endpoints.tsx'
import { Summary } from './summary.tsx'
import { System } from './system.tsx'

export const Health = (): ReactNode => {
  const { data, error, refetch, isFetching } = useHealth()
  const metrics = useMetrics()
  return (
    <View
      title="Health"
      aside={
        data && (
          <>
            <HealthTag status={data.status} />
            <span className="text-muted-foreground max-sm:hidden">
              checked <When at={data.timestamp} />
            </span>
          </>
        )
      }
      actions={
        <Button disabled={isFetching} onClick={() => void refetch()}>
          <RefreshCw size={14} /> Check now
        </Button>
      }
    >
      <div className="flex flex-col gap-4 p-4 md:px-6">
        {error && !data ? <Problem error={error} onRetry={() => void refetch()} /> : null}
        {data && (
          <>
            <Summary components={data.components} />
            <Components components={data.components} />
            <System report={data} requests={metrics.data?.requests} />
          </>
        )}
        {!data && !error && <Waiting />}
        <Endpoints query={metrics} />
      </div>
    </View>
  )
}

const Waiting = () => (
  <div role="status" aria-label="Loading" className="flex flex-col gap-4">
    <Skeleton className="h-11 rounded-lg" />
    <Skeleton className="h-80 rounded-lg" />
    <Skeleton className="h-40 rounded-lg" />
  </div>
)
