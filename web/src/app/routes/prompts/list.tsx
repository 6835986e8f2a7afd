import { PromptListScreen } from '@/features/prompts/components/prompt-list-screen';

export default PromptListScreen;
