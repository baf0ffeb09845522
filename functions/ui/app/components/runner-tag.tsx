import { runnerState } from './runner-words.ts'
import { Tag } from './tag.tsx'

type Reading = Parameters<typeof runnerState>[0]

export const RunnerTag = (reading: Reading) => {
  const { label, tone } = runnerState(reading)
  return <Tag tone={tone}>{label}</Tag>
}
