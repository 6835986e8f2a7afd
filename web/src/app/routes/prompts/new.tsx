import { CreateScreen } from '@/features/prompts/components/create-screen';

export default CreateScreen;
