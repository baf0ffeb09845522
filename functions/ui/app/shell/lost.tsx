import { Link } from '@tanstack/react-router'
import { buttonClass } from '../components/button.tsx'
import { Empty } from '../components/empty.tsx'
import { View } from '../components/view.tsx'

export const Lost = () => (
  <View title="Page not found">
    <Empty
      title="This page does not exist"
      action={
        <Link to="/tasks" className={buttonClass()}>
          Go to Tasks
        </Link>
      }
    />
  </View>
)
