import { PlaygroundScreen } from '@/features/playground/components/playground-screen';

export default PlaygroundScreen;
