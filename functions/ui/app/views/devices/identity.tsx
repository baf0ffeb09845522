import { Copy } from '../../components/copy.tsx'
import { Problem } from '../../components/problem.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Panel } from '../../components/view.tsx'
import { useIdentity } from '../../data/devices.ts'

/** The key that signs for this service. */
export const Identity = () => {
  const { data, error, refetch } = useIdentity()
  return (
    <Panel title="This service">
      {error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : (
        <dl className="flex flex-col divide-y">
          <Fact name="Device" text={data?.deviceId} />
          <Fact name="Fingerprint" text={data?.fingerprint} isLong />
          <Fact name="Public key (Ed25519)" text={data?.publicKey} />
        </dl>
      )}
    </Panel>
  )
}

type Props = { name: string; text: string | undefined; isLong?: boolean }

const Fact = ({ name, text, isLong = false }: Props) => (
  <div className="py-1.5 pr-1.5 pl-3.5">
    <dt className="text-xs text-muted-foreground">{name}</dt>
    <dd className="flex items-center gap-2 font-mono text-xs break-all">
      <span className={`min-w-0 flex-1 ${isLong ? 'max-sm:min-h-8' : ''}`}>
        {text ?? <Skeleton className="h-4 w-full" />}
      </span>
      <Copy text={text ?? ''} label={`Copy the ${name.toLowerCase()}`} />
    </dd>
  </div>
)
