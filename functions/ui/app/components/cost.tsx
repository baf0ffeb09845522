import type { Cost as CostData } from '../../../../lib/core/cost.ts'
import { costSource, costText } from './cost-text.ts'

type Props = {
  cost: CostData | null | undefined
  /** Without a label beside it. */
  isAlone?: boolean
}

/** Renders nothing where no model was called. */
export const Cost = ({ cost, isAlone = false }: Props) =>
  cost ? (
    <span title={costSource(cost)} className={cost.usd === null ? 'text-muted-foreground' : undefined}>
      {isAlone && cost.usd === null ? 'cost unknown' : costText(cost)}
    </span>
  ) : null
