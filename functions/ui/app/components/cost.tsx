import type { Cost as CostData } from '../../../../lib/core/cost.ts'
import { costSource, costText } from './cost-text.ts'

/** Renders nothing where no model was called. */
export const Cost = ({ cost }: { cost: CostData | null | undefined }) =>
  cost ? (
    <span title={costSource(cost)} className={cost.usd === null ? 'text-muted-foreground' : undefined}>
      {costText(cost)}
    </span>
  ) : null
