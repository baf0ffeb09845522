import { FATES, startProxy } from '../adapters/aws/proxy.ts'

type Faults = { share: () => number; random: () => number }

/** Stands between clients and an emulator of AWS, and lets a share of all calls fail. */
export const startUnreliable = async (endpoint: string, { share, random }: Faults) => {
  const told = { calls: 0, failed: 0 }
  const proxy = await startProxy(endpoint, () => {
    told.calls += 1
    if (random() >= share()) return undefined
    told.failed += 1
    return FATES[Math.floor(random() * FATES.length)]
  })
  return { ...proxy, told }
}
