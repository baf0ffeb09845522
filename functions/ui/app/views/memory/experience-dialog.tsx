import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { Experience } from '../../../../../lib/memory/schema.ts'
import { Confirm } from '../../components/confirm.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../components/dialog.tsx'
import { LongText } from '../../components/long-text.tsx'
import { Problem } from '../../components/problem.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { Tag } from '../../components/tag.tsx'
import { When } from '../../components/when.tsx'
import { useExperience, useRemoveExperience } from '../../data/memory.ts'

export type { Experience }

export const kinds: Readonly<Record<Experience['type'], string>> = {
  tool_chain: 'Tool chain',
  user_preference: 'Preference',
  task_solution: 'Solution',
  error_recovery: 'Recovery',
}

const WHOLE = 100

/** The experience in the address, also if the list does not have it. */
export const ExperienceDialog = () => {
  const { item } = useSearch({ from: '/memory' })
  const navigate = useNavigate({ from: '/memory' })
  const close = () => void navigate({ search: ({ item, ...rest }) => rest, replace: true })
  const { data: experience, error, refetch } = useExperience(item)
  if (item === undefined) return null
  return (
    <Dialog isOpen onClose={close} title={experience?.intent ?? 'Experience'}>
      {experience ? (
        <ExperienceDetails experience={experience} onRemoved={close} />
      ) : (
        <DialogBody>
          {error ? <Problem error={error} onRetry={() => void refetch()} /> : <SkeletonRows />}
        </DialogBody>
      )}
    </Dialog>
  )
}

const solutionText = (solution: Experience['solution']) =>
  typeof solution === 'string' ? solution : JSON.stringify(solution, null, 2)

const ExperienceDetails = ({ experience, onRemoved }: { experience: Experience; onRemoved: () => void }) => {
  const { id, type, tags, solution, createdAt, lastUsedAt, useCount, successScore, sourceTaskId } = experience
  const remove = useRemoveExperience()
  const removeAndClose = async () => {
    await remove.mutateAsync(id)
    onRemoved()
  }
  return (
    <>
      <DialogBody>
        <p className="flex flex-wrap items-center gap-1.5 text-muted-foreground">
          <Tag>{kinds[type]}</Tag>
          {tags.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
          <span>
            learned <When at={createdAt} />
            {sourceTaskId && (
              <>
                {' from '}
                <Link to="/tasks/$id" params={{ id: sourceTaskId }} className="underline">
                  a task
                </Link>
              </>
            )}
            , used {useCount}×, success {Math.round(successScore * WHOLE)}%
          </span>
          {lastUsedAt && (
            <span>
              , last <When at={lastUsedAt} />
            </span>
          )}
        </p>
        <LongText label="What worked" text={solutionText(solution)} />
      </DialogBody>
      <DialogFoot>
        <Confirm verb="Delete" title="Delete this experience" size="normal" onConfirm={removeAndClose}>
          This cannot be undone.
        </Confirm>
      </DialogFoot>
    </>
  )
}
